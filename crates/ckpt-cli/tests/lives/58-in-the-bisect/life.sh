# A session is killed in the middle of a bisect. The commit that is checked out is old: files of another command are "gone".
put src/login.js <<< "check(user, password)"
git add . && git commit --quiet -m "Log in"
git tag v1.0
ckpt start implement sso --phases design,build,test > /dev/null
begins s1
prompt s1 "Build single sign-on with SAML."
runs s1 "ckpt phase implement/sso design complete --summary 'SAML only, no OIDC. The library is samlify.'"
commits src/audit.js "log(user)"
commits src/login.js "check(user, password); groups(user).forEach(load)"
commits src/menu.js "menu()"
writes s1 src/saml.js <<< "export const assertion = parse(samlResponse)"
runs s1 "git add src && git commit -qm 'Parse SAML assertions'"
runs s1 "ckpt phase implement/sso build complete --summary 'Assertions are parsed and checked in src/saml.js.' --created src/saml.js"
prompt s1 "Login takes 9 seconds since some commit after v1.0. Find it before you test SSO, customers complain."
runs s1 "ckpt start debug slow-login --phases reproduce,bisect,fix"
runs s1 "ckpt phase debug/slow-login reproduce complete --summary 'scripts are no help: a login with 300 groups takes 9 s on main and 0.2 s on v1.0. Fewer than 100 groups hide it.'"
runs s1 "ckpt phase debug/slow-login bisect in_progress --summary 'git bisect from main (bad) to v1.0 (good). Measure with 300 groups at each stop.'"
runs s1 "git bisect start && git bisect bad main && git bisect good v1.0"
says s1 "At this stop a login with 300 groups takes 9 s, so it is bad. I mark it and go on."
dies s1
