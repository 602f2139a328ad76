# A pulled commit drops a task on purpose. Another one, from an old copy of the plan, opens a finished task again.
git init --quiet --bare --initial-branch=main "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
plan=plans/260314-1120-single-sign-on/plan.md
put $plan <<'END'
# Single sign on

<!-- CHECKPOINT: sso -->
- [ ] Let sessions expire <!-- TASK: session-expiry -->
- [ ] Read users from LDAP <!-- TASK: ldap-import -->
- [ ] Publish our SAML metadata <!-- TASK: saml-metadata -->
- [ ] Sign users out everywhere <!-- TASK: sign-out -->
END
put auth/ldap.py <<< "def bind_user(name): return connect().bind(name)"
put auth/saml.py <<< "def metadata(): return '<EntityDescriptor/>'"
git add . && git commit --quiet -m "Plan the single sign on"
git push --quiet -u origin main
ckpt plan sync

begins sso
runs sso "echo 'MAX_AGE = 3600' > auth/session.py && ckpt plan done session-expiry && git add . && git commit -qm 'Let sessions expire'"
runs sso "ckpt plan note 'ldap-import: bind_user in auth/ldap.py must time out after two seconds'"
runs sso "ckpt plan note 'saml-metadata: the identity providers want two certificates, the old and the new'"
runs sso "ckpt plan claim saml-metadata"
runs sso "echo 'CERTIFICATES = [new]' >> auth/saml.py && git commit -qam 'Publish the new certificate' && git push -q"
says sso "The new certificate is in the metadata, the old one is not yet."
ends sso

git clone --quiet "$LIFE/origin.git" "$LIFE/grace"
(
    cd "$LIFE/grace"
    git rm --quiet auth/ldap.py
    sed -i 's/^- .*ldap-import.*/<!-- DECISION: No ldap-import: the only customer with LDAP has left -->/' $plan
    by Grace git commit --quiet -am "Drop the LDAP import, its customer has left"
    sed -i -e 's/\[x\] Let sessions/[ ] Let sessions/' -e 's/Sign users out everywhere/Sign users out on all devices/' $plan
    by Grace git commit --quiet -am "Say what everywhere means"
    git push --quiet
)
git pull --quiet
