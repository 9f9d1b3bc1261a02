// SPDX-License-Identifier: Apache-2.0
// Put together here, so that no scanner takes them for real ones.
#include "tests/support/secret_samples.hpp"

#include <array>
#include <string_view>

namespace dragoman::test {
namespace {

const std::string kTail = "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kL9nP2qR5tU8xY1aB4cD7fG0";
const std::string kHexTail = "3f9a0c6e1b7d42858c5e90ab17f3d6244b8e0d9c2a71f56e3f9a0c6e1b7d4285";

// A token of each kind, of the length that its provider gives it. What it begins with is in two
// pieces.
struct Token {
  const char* begin;
  const char* rest_of_begin;
  const char* body;
};
constexpr Token kTokens[] = {
    {"sk-", "ant-",
     "api03-9BcG4UhJgxKd-QMBhaDC9hvOXahrOBAHl24CMfCTdkm7w0Zg-IjFx970C3_u9bRi9q"
     "5tLh2-0H599NPO0DDYQOhf_NKKfAA"},
    {"sk-", "ant-",
     "oat01-hx5ulWdr8RWaEmj6i-wWYPpB5gnwmO9Wbd9Eb3Cg-hMeg9ULfURX2_rFF5Xz7hDGuK"
     "zF-A_FOLWtp-eE47quQzEjLGc459u"},
    {"sk-", "ant-",
     "admin01-hLWDZ-h6MTixcs6P4WU_cxPt_Hq57Bxutw2XznOU5SHETQ-WwczlZjkUSx3CrU5Y"
     "x4RaZNe6zwFS8rdVxeJsKsOMAQIk4"},
    {"sk-p", "roj-",
     "A_fnXlL-sH1KD_T5GLV65nkmqoYm3ymH3GbhXVXuBjwcwBjPgK6fEAXXI5L5ZYG3CuQ_CLSs"
     "2xT3BlbkFJvEX1Q1JyDOF9aPx9W9hsrzVWzBvwHHOXVvFRzS5U6DiuF4RUEuFH4l207qmPnZ"
     "fbKSdsWd9dwe"},
    {"sk-sv", "cacct-",
     "bg_iNWdP00Nr2xQaceIdugSyi4njdhhBI8loJXcn0hqO_I-VyxjKe-k51OlSaeXxOE17YIu0"
     "tXT3BlbkFJapm887iXI8mlaY36oU2iqmPp_W-E0LVuOV3FBDHfJtLjT09Fx81JVzQHLCJPb5"
     "TRT87Bp-MgRl"},
    {"sk-a", "dmin-",
     "ZJwCmvGbnQkZGas8o9GfZjJVtUSpwy88MARFtnu737z5nSE2wNvVHLcDXnT3BlbkFJsIMlet"
     "lf79QuF8Ialc5AeBZrk7F1lmI_a7aCDCPWa90h-OOB3nPliGxecb"},
    {"s", "k-", "gF4RE6L6wPXwy2Lvv4etT3BlbkFJUflZM3jqbTaG26DQXjTR"},
    {"sk-o", "r-v1-", "4900f92a296ea5dc417cdd78f764d597553adf553bb24a3476ad7bc6bb5fe613"},
    {"sk-", "lf-", "d635c142-1a23-99c9-c94c-920e01881e12"},
    {"s", "k-", "cdd1851d487445639b5d589eee1c111b"},
    {"gh", "p_", "jjUxhodYhRaUQS8nY8Pcc4x7duObuw8aZzS6"},
    {"gh", "o_", "9QceT7561xK8kgoC0SDMWlz06WC7PtCPacCW"},
    {"gh", "u_", "gyap7D8mPfytBLH0NgxVtJfM7Owa6vFqNDhT"},
    {"gh", "s_", "hYvF540utACgFkagCCkMGyklgXVic5ylGymw"},
    {"gh", "r_", "2Xuyzo0uikqy4oUKrFYG5kf6Onag2JhQHMxa"},
    {"githu", "b_pat_",
     "79G5e1JcuqhQyKO3XaYQJS_Mml9ho1A80pE2lFCWlqTHintb7XYrU14DhuJyzoOdZrx1oiAz"
     "C8xpIS34ld"},
    {"AK", "IA", "VJM337SWEJK7ADAY"},
    {"AS", "IA", "P6YPDBFMBOYNRVOJ"},
    {"AB", "IA", "TDCIJPYDOQ37FGNZ"},
    {"AC", "CA", "X6NMZHEIC467LKCR"},
    {"AI", "za", "SyPr3s4yHXcLCQfelWs_MlmdCff8FItlqfR"},
    {"ya", "29.",
     "a00tkWFpbd9d79JIgjgnq70qlRULQCFuPOrM1n_jCMOqtES7nZdhlWNq4WIgtXHjkOxKt_gT"
     "YHTUmMdXJvCIwWTXwb_lwg00Fi1f_ikZm040oTInl8bd0R9mbVg2I_Td5_NuH6dVdOYqPtA9"
     "EQ0iWDDsH9xnRr5V22ImYrf5sBNXoZ7cQkp8QT"},
    {"GOC", "SPX-", "sedkNwJB-DxLh0bM4gg61oT8VdgD"},
    {"xo", "xb-", "864685794884-4326570047107-uxrS71p4TchKptRdFe5pAhMU"},
    {"xo", "xp-", "899998857005-171691962703-6370639274750-0c00d4f7cb1ea6e29141377090073337"},
    {"xo", "xa-", "2-461824381554-671144800184-uVdKUYiYUj6BCR3AdG6OeEFo"},
    {"xo", "xr-", "711113552878-953273652580-4uDSpDWFPZCop8eFVGMo9Pwn"},
    {"xo", "xs-", "331903235312-828744856745-K79jyE4pmv0QCRIJHbwzpJMa"},
    {"xo", "xo-", "267590495036-946314870978-4Xu2UT3fOyvGEFvvdYP1dg9Q"},
    {"xo", "xc-", "760131360672-144544310652-erw0WrHLzM6BlYPStQB0gUMZ"},
    {"xo", "xd-",
     "suVfkKb9KU1GYMmLT6zD6YDmcwCUv6gPDzghF1Uxu3gc2rNUtHblZ3GekwIpCrkPtvj9rEe8"
     "upQiPSfn"},
    {"xo", "xe-",
     "1-6USamNZHhRsb0uiDkDtUbbiax34ibVSLLFsULqia2KgctaM2iqC6Sw7a5B1fk9styxdDXi"
     "Q44qHgbepv9VJPPtB5vtgHUS60b0m4VWR2XsIyuPxR6kl93fzpbf99pzKopaZvWjfErTSgdU"
     "Z6nz"},
    {"xo", "xe.",
     "xoxp-1-fLVJdwXRvqTnFMoQlv86K0fIJln2ieUSQMJDPbE9QCaolgDkxQjOz0eDI00QnkMKi"
     "38dWZrAtMdmkAPCSyHIPDd3kYgiWAxhf0YzB0umau2rjFukXR4ZLVzAFt4dry7K3LY290GYB"
     "10Jd1lmyBlFhnQknCngKUaSVCwsPx"},
    {"xa", "pp-",
     "1-ACAWWHBB32W-0434162840475-5413d0aed4ebf810af6289244d984f7483be2355ea27"
     "ad227af87ccbafaf5887"},
    {"hooks.slack.", "com/services/", "T75WWREZ245/BBVMBG6VH60/hX6FYznqG2egItXRgDbNC8cA"},
    {"sk_l", "ive_",
     "51mjkUWLyxAnI3KRlpSyfY25rkafjIocKXNqV0NZIJEeduFl600RHTxFgOuUTqKZOxj9XDX0"
     "JcTAecpSPE1Ys0w3WGpdc5V8wpQ"},
    {"sk_t", "est_",
     "51LpSKDTeQnDwbBUhJQ78QsofD7vycBjFaoDKlSxuOyxESsN2CtpXO8pucr65v9xz1ECbNH4"
     "daFRTCxSvkRjgg34gCF6oiQR1ry"},
    {"rk_l", "ive_", "51eY8Tj44rNwoty4UPtIrqJv"},
    {"rk_t", "est_", "5168BaiOApneYCHafjoFKenB"},
    {"whs", "ec_", "chhUFCQggrUt0GtfdEzBzM7LAJUIm1Pv"},
    {"np", "m_", "St1PpDYcEFe5liWPlcz2LRIr5T2YXnc7gHhC"},
    {"glp", "at-", "p1yGS3o0uwg2VYjspvG6"},
    {"glp", "at-", "rf4l-F9E-NeoqStUJ-L3PEjjz3V.01.yj12atu6n"},
    {"gl", "dt-", "qQPqNWAuYOKlDy8T7WWE"},
    {"gl", "rt-", "Ne4p-NS5g8twjlrnRz0t"},
    {"glc", "bt-", "pLgAv7VCOGLeXXFyXD7STLG"},
    {"glp", "tt-", "3c9d95271ee369d8aa5c5416b9932f77a22c8179"},
    {"gl", "ft-", "pfBOY2kpko_0mtBn-yCg"},
    {"gls", "oat-", "as32CI1cGj9pOk8y5XI7"},
    {"glag", "ent-", "lZZERbhBhojS5PAxOKfCLaaIvBS9gpUVisJgaxUd7QM0vDifW4"},
    {"h", "f_", "Z2bqYcVB4HhLM8c6nEd6Lb40H9bJEx1LjW"},
    {"api_", "org_", "ZLZBMPSCj4vnOhRoCokZPMLkisYo5W4Xsi"},
    {"pypi", "-AgEI",
     "cHlwaS5vcmcdua41OHwqfUFpiEBX2F209HMvGJr_K_iAI-8Ki3424yAvmCl-yo5JVvPZJ3CF"
     "MExIr7cFvvp_7MtfWZ511J0f_Y-zwDOzt0sLMk0fqi9ZHzq5Vzdwc4GImwr"},
    {"dop", "_v1_", "8dbd660990957c3f1de326f796428ed9da3be868f69a5542024027aa3d6770e3"},
    {"doo", "_v1_", "fc87f70ee9c69ddc16486a257ac304f0721312998c445c0daee2b5c0e3157f5a"},
    {"dor", "_v1_", "21ec27d46273611f94e20f3c06cd13f70439d9c2773f5bdce14ea142be362214"},
    {"S", "G.", "DTYLWxAuj59UODemBBIh-n.FjnTlKAyWyXPLocufl_BQdqLSWTSJ2Hh-yRw0M8q--F"},
    {"da", "pi", "87ef70f16fbd233083b28458b82c171e"},
    {"lin_", "api_", "DIs6v7SCCAA2v3A1fXtqrIlVnWGdA57S9MP1zolh"},
    {"nt", "n_", "22455885174nv8Fwn63P085l4oRYoMAILIKc0lsDV7Qsm5"},
    {"shp", "at_", "eb1fc74ce462cc303596b63b7441d111"},
    {"shp", "ca_", "42a7dea6d76e94d5625af10487ad6a86"},
    {"shp", "pa_", "013f43a7ebdcfc51af0339aebe1ef57d"},
    {"shp", "ss_", "1f506254235acb9f74bbd61b4ec2ac74"},
    {"sq0", "atp-", "QtNh6hCXRaJYfWM-x020bj"},
    {"sq0", "csp-", "2MyxUkh6KKOTISZR7VjeJeOwkbS9wqqsTbbCgKNIR9H"},
    {"NR", "AK-", "CV0ZZTUHW0472C4TOKDCPONMRM3"},
    {"PM", "AK-", "ec2a348582124e9c0220243a-24f1d0ca6a198372de9a1bcdfa96558385"},
    {"gl", "sa_", "pdXMtCrdokbvkGG6AF1q2S3i62zCEGPS_b9632b6d"},
    {"gl", "c_",
     "eyJvIjoiDIZtqFISuY1v4QWp1DAYHQq30Ka10FgJJbkv9HoVHB03xfQL0EJuJfbhz1tlKdNp"
     "WX51ToR2kYRdVXal1ob5Emku0ESUiRCLcepM"},
    {"dp.", "pt.", "NR662mZkjF1eohGBN33H1oRyDSFReY31zyKYsWKN6DK"},
    {"pscal", "e_tkn_", "EnDGencclVetQ7CySTYxYYnM5URPqYHFdsfywlaqhqe"},
    {"pscal", "e_pw_", "nquWCfZ8PiiF0yuT09S2gdLZC0hcZkvIpidiCwvDOMG"},
    {"pscale", "_oauth_", "pjp1bboW7C2iNNRLEmPIwPXF2MJHmRqlIgFR__xLs4z"},
    {"hv", "s.",
     "U8vwZb4T0yrtm1UE2yLYVcgIxBvpLlYdIsRlr64Nu5bm5fhwF_J4jcH35rwFfjtyNzpgAECf"
     "omCq9SG1oHjZaOTvhYhCEIG"},
    {"hv", "b.",
     "B4nvRgzPDeUjaPsIBZR5X3PfiHJmfsR2Wu7rAlBinIS8jhNTx7_UspK2W_N8aPYkv7DbRk56"
     "uLqqUBaPnfVWUedMPzvH4oJ8ia__zCmU78ZZU_sw7JjveCIyegbVhsirvLdeYekWEP"},
    {"pu", "l-", "ed3f39fc9b96ff48cd6ec7daae99036999f35846"},
    {"fi", "gd_", "3NoIvZDGNTNC7GS7aQNn2TTS61i0Rt78uVeTdq8h"},
    {"ATA", "TT3",
     "xFfGF0184viclz49cZPU5Ttp0mmBW6I-CivZFB0wp3RLgHqBCKSXZyAjtwducBuiveIgwTNe"
     "E_U5-Xy8iLIKPsMsaabeRWSpYoZOQtFAB8jUnWSeJceL0W_BZPoEt6aFrZORC_VA1J2RtLW_"
     "rjHKvqrTRNEEWgBHtqfAYsLLBXlVNoKFfk-WIwXHUR=1437046C"},
    {"dckr", "_pat_", "TuSDPS8lbQAWivdi8I5sKjGqnRo"},
    {"gs", "k_", "jxB7SrEU7AgkwGJ2q6f4y3yLQOZJQNnbGYKFypnMtOL3d3BKFEVh"},
    {"pp", "lx-", "qDkHGc69zbHb4Nduuks67XKcsfhZiqa1q6fkAheh8QFY6iN8"},
    {"r", "8_", "FaxVW7GcFL6LUyF34oUvGgP443NsgwCnEW2bR"},
    {"xa", "i-",
     "kC5ijO4hELQvnIgwEQ1hDMwxlvYIeWkBT9MNJ7dc8IUNkOgWyBfQrrBZP7NDB0MKcinvLHYq"
     "2rQlcezL"},
    {"sb", "p_", "b01d80005024d6145b41c22cf7d0e48827c49859"},
    {"snt", "rys_",
     "eyJpYXQiOjE3xv8UZisWfNpUPRvgQ1FJlNPu110FXlC8dypC7ZSwXsqjhrEUVuMvdo8kDEFA"
     "kBzmEaeTEuSMFO7n12T1vti9mEMUbOo4HEBHx6tmZsMd2bVjtxLI0dUe3xQG_cEcByH75Q3U"
     "ZiWnhGYrP0g7YqJhYu7asuj9qP28HOlf"},
    {"snt", "ryu_", "38739d3ac46305946a940fa7411595cd289bcf970a40a0ed54f853666766fde8"},
    {"tsk", "ey-", "auth-kbWC1QgO09YCNTRL-xEdczXLAASLaaCpxwvxsRkMOo1vsaV6f"},
    {"tsk", "ey-", "api-kZVRQNy80AMCNTRL-1BZcxRkNKcZJ7k46CmfB1mQwaqe4FXQV"},
    {"AGE-SECR", "ET-KEY-1", "JRRH6Y3ETVKZ25HMJ6KEWQUQMTPM5FRK34CJC8NXCM5H0XYUXC7S7KG6S5"},
    {"ruby", "gems_", "997c0fce23e2a4c594225e1b78018ceac14cac3aee3ba10a"},
    {"bk", "ua_", "9a3abdd2d28d89362d8d636227150d0f5d618979"},
    {"CCI", "PAT_", "xre50FXHm4pBz2cP9sE10R_d4254dd1642dd8713425dcc5730b79502be50413"},
    {"ops", "_eyJ",
     "PtNN4eAcMVWM191lfiNGpwC25PeYx9HSOxkJoGqyPcIaWVh7LxAN2MRCrrHeLtnY9i9j8SB4"
     "2by1PqVCIJhHW5F3HUEuQHDhuilo4nAKZ21bzhGRHfh5zqaWEkv4mvlGEdioGZPRHNM0fRQ6"
     "qFKKpTxkUONfm8nJ9gTD9pX92WmsWnxOgzIe7vZdEybe7mtt7oYa8jrG"},
    {"S", "K", "92e351fe50c66fe4569247306b6ff28b"},
    {"E", "AA",
     "CEdEose0cBAnxTvmnnQ0Fxdf6mNKUYX4i873YWCADhXXfbYFaL4wlxNRjdSIsncp4XFgd3Z9"
     "MoE2CEgjCNlsPp6SbshCPB8Q0evhzmVJ3RcmhLlouGxGgq0X7lnlJ333Nrp"},
    {"o", "y2", "14ohd67b68a8x0jsdehns809xldxjjook35ud8qk6va"},
    {"mf", "a.",
     "Y8BygTD98nhIemiqib2ajaxkZ-7NQWuDyC_UEwHkoP975XnLoZM5xA5Ug3mhqiPtZOGkIleE"
     "HHEXvXdbDO73"},
    {"discord.com/", "api/webhooks/",
     "9113616465927403491/yx_5GBTDjzlozpisiJeWZm7mTvLOEII2o_jpqGRcmYu_c7Py3Zty"
     "tKVHX3xyZ1jvfX-h"},
    {"discordapp.com", "/api/webhooks/",
     "980114653303478092/wooL_tEtA9jcHIYV7YfsO8bQYfXe9TsKi5TVXmprjmY0yt25Z_HYH"
     "u9WlOOACRVRh1Xh"},
};

// Of names and values that only together are a secret.
void add_named(std::vector<Sample>& out) {
  const std::string plain = "correct-horse-battery9";
  const std::string mixed = "s3cr3t$Passw0rd99";
  const std::string key = kTail.substr(0, 24);
  for (const char* const name :
       {"DB_PASSWORD", "PGPASSWORD", "MYSQL_PWD", "DB_PASS", "REDIS_PASSWD", "GPG_PASSPHRASE",
        "CI_TOKEN", "GITHUB_TOKEN", "CLIENT_SECRET", "MY_SECRET_THING", "OPENAI_API_KEY",
        "SIGNING_KEY", "SECRET_KEY", "ENCRYPTION_KEY", "SMTP_PASS", "SLACK_BOT_TOKEN"}) {
    out.push_back({"export " + std::string(name) + "=", plain, ""});
    out.push_back({std::string(name) + "='", mixed, "'"});
    out.push_back({std::string(name) + " = \"", mixed, "\""});
  }
  for (const char* const name :
       {"password", "passwd", "pwd", "db_pass", "dbPassword", "secret_key", "secretKey",
        "client_secret", "access_token", "authToken", "apiKey", "api_key", "api-key", "private_key",
        "user.password", "spring.datasource.password", "adminPassword"}) {
    out.push_back({std::string(name) + "=", mixed, "\n"});
    out.push_back({std::string(name) + " = '", mixed, "'"});
    out.push_back({"\"" + std::string(name) + "\": \"", mixed, "\","});
    out.push_back({std::string(name) + ": ", mixed, "\n"});
  }
  for (const char* const name : {"password", "token", "api-key", "client-secret", "db-password"}) {
    out.push_back({"run --" + std::string(name) + "=", plain, " --verbose"});
    out.push_back({"run --" + std::string(name) + " ", "abcd1234efgh", " --verbose"});
    out.push_back({"run --" + std::string(name) + " \"", "correct horse 9", "\" --verbose"});
    out.push_back({"run --" + std::string(name) + "='", "correct horse 9", "' --verbose"});
  }
  for (const char* const value :
       {"gr\xc3\xbcnTee99x", "Gr\xc3\xbcn-Tee99x", "hunter2hunter2\xc3\xbcTAIL99x",
        "hunter2hunter2'TAIL99x", "hunter2hunter2\\TAIL99x"}) {
    out.push_back({"DB_PASSWORD=", value, " next"});
    out.push_back({"password: ", value, "\n"});
  }
  out.push_back({"DB_PASSWORD=", "Gr\xc3\xbcn&Tee99x", " next"});
  out.push_back({"\"password\": \"", "Gr\xc3\xbcn&Tee99x", "\""});
  out.push_back({"\"password\": \"", "correct horse battery 9", "\""});
  out.push_back({"password: ", "hunter22", "  # of the test server"});
  out.push_back({"kubectl create secret generic x --from-literal=password=", plain, ""});
  out.push_back({"ENV DB_PASSWORD ", plain, "\n"});
  out.push_back({"machine example.org login me password ", plain, "\n"});
  out.push_back({"machine example.org\n  login me\n  password ", plain, "\n"});
  out.push_back(
      {"{\"auths\":{\"https://example.org/v1/\":{\"auth\":\"", "bWU6Y29ycmVjdGhvcnNl", "\"}}}"});
  for (const char* const name : {"access_token", "api_key", "token", "auth_token", "apikey"}) {
    out.push_back({"GET https://example.org/v1/x?" + std::string(name) + "=", key, "&page=2"});
    out.push_back({"GET /v1/x?a=b&" + std::string(name) + "=", key, " HTTP/1.1"});
  }
  for (const char* const name : {"x-api-key", "X-Api-Key", "X-Auth-Token", "Ocp-Subscription-Key"})
    out.push_back({std::string(name) + ": ", key, "\r\n"});
  out.push_back({"MY_KEY=", key, ""});
  out.push_back({"<password>", mixed, "</password>"});
  out.push_back({"DefaultEndpointsProtocol=https;AccountName=x;AccountKey=", kTail + "Zz==", ""});
  out.push_back({"Endpoint=sb://x/;SharedAccessKey=", kTail.substr(0, 43) + "=", ""});
  out.push_back({"//registry.npmjs.org/:_authToken=", kTail.substr(0, 36), ""});
  out.push_back({"aws_secret_access_key = ", kTail.substr(0, 40), ""});
}

void add_addresses(std::vector<Sample>& out) {
  for (const char* const scheme : {"https", "postgres", "mysql", "amqp", "redis", "mongodb+srv"}) {
    out.push_back({std::string(scheme) + "://", "admin:hunter2hunter2", "@db.example.org/x"});
    out.push_back({std::string(scheme) + "://", "app:s3cr3t+Passw0rd==", "@db.example.org/x"});
    out.push_back({std::string(scheme) + "://", "app:p@ssw0rd!x@y", "@db.example.org/x"});
  }
  out.push_back({"git clone https://", kTail.substr(0, 40), "@github.com/a/b.git"});
  out.push_back({"https://", kHexTail.substr(0, 32), "@o1.ingest.example.org/2"});
  out.push_back(
      {"https://x.blob.core.windows.net/c?sv=2022&sig=", kTail.substr(0, 43) + "%3D", ""});
  out.push_back({"Authorization: Bearer ", kTail.substr(0, 32), ""});
  out.push_back({"-H 'authorization: bearer ", kTail.substr(0, 32), "'"});
  out.push_back({"Authorization: Basic ", "YWRtaW46aHVudGVyMmh1bnRlcjI=", ""});
  out.push_back({"Proxy-Authorization: Basic ", "dXNlcjpwYXNzd29yZA==", "\r\n"});
  for (const char* const scheme : {"token", "Token", "ApiKey", "SharedKey"})
    out.push_back({"Authorization: " + std::string(scheme) + " ", kTail.substr(0, 24), ""});
  out.push_back({"\"Authorization\": \"token ", kTail.substr(0, 24), "\""});
  out.push_back({"curl -sS -u admin:", "s3cretword", " https://example.org"});
  out.push_back({"curl --user 'admin:", "correct horse 9", "' https://example.org"});
  out.push_back({"curl -u api:", "key-" + kHexTail.substr(0, 32), " https://example.org"});
  out.push_back({"Set-Cookie: sid=", kTail.substr(0, 32), "; Path=/\r\n"});
  out.push_back({"Cookie: theme=dark; session=", kTail.substr(0, 32), "\r\n"});
  out.push_back({"mysql://", "root:gr\xc3\xbcnTee99", "@127.0.0.1/x"});
  out.push_back({"https://api.telegram.org/bot123456789:", kTail.substr(0, 35), "/getMe"});
  out.push_back({"bot ", "123456789" + (":AA" + kTail.substr(0, 33)), ""});
  out.back().before += "123456789:";
  out.back().secret = "AA" + kTail.substr(0, 33);
  out.push_back({"bot ", "MTk4NjIyNDgzNDcxOTI1MjQ4" + (".Gh4dXz." + kTail.substr(0, 38)), ""});
  out.push_back({"bot ", "NzkyNzE1NDU0MTk2MDg4ODQy" + (".X-hvzA." + kTail.substr(0, 27)), "\n"});
  out.push_back({"",
                 "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" +
                     (".eyJzdWIiOiIxMjM0NTY3ODkwIn0." + kTail.substr(0, 22)),
                 ""});
}

// As json.dumps of Python writes a string, and as encoding/json of Go does.
enum class Encoder : std::uint8_t { python, go };

void append_escape(std::string& out, unsigned value) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out.push_back(kDigits[value >> shift & 15U]);
}

// Of letters as utf8 has them, Python escapes all but those of ASCII.
std::size_t append_letter(std::string& out, std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  unsigned value = byte(0) & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) value = value << 6U | (byte(i) & 63U);
  if (value < 0x10000) {
    append_escape(out, value);
  } else {
    append_escape(out, 0xd800 + ((value - 0x10000) >> 10U));
    append_escape(out, 0xdc00 + (value & 0x3ffU));
  }
  return size;
}

std::string in_json(const std::string& text, Encoder encoder) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool html = encoder == Encoder::go && (c == '<' || c == '>' || c == '&');
    if (static_cast<unsigned char>(c) >= 0x80 && encoder == Encoder::python) {
      i += append_letter(out, std::string_view(text).substr(i)) - 1;
    } else if (html || (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r')) {
      append_escape(out, static_cast<unsigned char>(c));
    } else if (c == '\n' || c == '\r') {
      out += c == '\n' ? "\\n" : "\\r";
    } else {
      if (c == '"' || c == '\\') out.push_back('\\');
      out.push_back(c);
    }
  }
  return out + '"';
}

std::string coloured(const Sample& sample) {
  return sample.before + "\x1b[01;31m\x1b[K" + sample.secret + "\x1b[m\x1b[K" + sample.after;
}

// Not in the middle of a letter.
std::size_t letter_at(const std::string& text, std::size_t cut) {
  while ((static_cast<unsigned char>(text[cut]) & 0xc0U) == 0x80) ++cut;
  return cut;
}

// grep --color shows what it has found: the beginning.
std::string coloured_inside(const Sample& sample, std::size_t cut) {
  cut = letter_at(sample.secret, cut);
  return sample.before + "\x1b[01;31m\x1b[K" + sample.secret.substr(0, cut) + "\x1b[m\x1b[K" +
         sample.secret.substr(cut) + sample.after;
}

// What ends a style on some terminals, a link, a blank without a width.
std::string styled(const Sample& sample) {
  const std::string link = "\x1b]8;;";
  const std::size_t cut = letter_at(sample.secret, 3);
  return sample.before + link + "https://example.org/x\x1b\\" + sample.secret.substr(0, cut) +
         "\x1b(B\x1b[m\x0f" + sample.secret.substr(cut) + link + "\x1b\\" + sample.after;
}

}  // namespace

std::vector<std::string> dresses_of(const Sample& sample) {
  std::vector<std::string> out;
  for (const std::string& text : {sample.text(), coloured(sample), coloured_inside(sample, 3),
                                  coloured_inside(sample, sample.secret.size() / 2), styled(sample),
                                  "    12\xe2\x86\x92" + sample.text(),
                                  "src/app.env:12:" + sample.text(), "> " + sample.text()}) {
    out.push_back(text);
    for (const Encoder encoder : {Encoder::python, Encoder::go}) {
      std::string nested = text;
      for (int strings = 0; strings < 3; ++strings) {
        nested = "{\"t\":" + in_json(nested, encoder) + "}";
        out.push_back(nested);
      }
    }
  }
  return out;
}

std::vector<Sample> secret_samples() {
  std::vector<Sample> out;
  for (const Token& token : kTokens)
    out.push_back({"it is ", std::string(token.begin) + token.rest_of_begin + token.body, " here"});
  out.push_back({"s3://x ", "AKIA" + std::string("IOSFODNN7EXAMPLE"), "/20261118/eu"});
  add_named(out);
  add_addresses(out);
  return out;
}

std::string without_style(const std::string& text) {
  constexpr std::array<std::string_view, 10> kStyles = {
      "\x1b[01;31m",    "\x1b[K",    "\x1b[m",    "\x1b(B",    "\x0f",
      "\\u001b[01;31m", "\\u001b[K", "\\u001b[m", "\\u001b(B", "\\u000f"};
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t length = 0;
    for (const std::string_view style : kStyles) {
      if (rest.starts_with(style)) length = style.size();
    }
    if (length == 0) out.push_back(rest[0]);
    rest.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::vector<std::string> plain_pieces(const std::string& secret) {
  constexpr std::size_t kLeast = 6;
  std::vector<std::string> pieces = {""};
  for (const char c : secret) {
    const bool spelled = static_cast<unsigned char>(c) >= 0x80 || c == '&' || c == '\\';
    if (spelled) pieces.emplace_back();
    if (!spelled) pieces.back().push_back(c);
  }
  std::erase_if(pieces, [](const std::string& piece) { return piece.size() < kLeast; });
  return pieces;
}

}  // namespace dragoman::test
