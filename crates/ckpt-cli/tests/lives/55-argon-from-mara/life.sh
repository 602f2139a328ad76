# A decision is overruled by a pulled commit, while half of what it asked for lies uncommitted in the work tree.
put plans/260407-0830-accounts/plan.md <<'END'
# Accounts

<!-- CHECKPOINT: passwords -->
- [ ] Store passwords hashed <!-- TASK: hash -->
- [ ] Hash again at login when the parameters are old <!-- TASK: rehash -->

<!-- CHECKPOINT: devices -->
- [ ] List the devices of an account <!-- TASK: devices -->
END
put src/password.ts <<< "export const store = (p: string) => save(p);"
put src/login.ts <<< "export const login = (u, p) => equal(p, stored(u));"
git add . && git commit --quiet -m "Plan the accounts"
ckpt plan sync
git clone --quiet --bare . "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git" && git fetch --quiet && git branch --quiet -u origin/main

begins s1
prompt s1 "Passwords first, then the devices."
runs s1 "ckpt plan decide 'Passwords are hashed with bcrypt, cost 12' --phase passwords --reason 'it is what the old system has'"
runs s1 "git commit -qam 'Decide on bcrypt' && git push -q"
runs s1 "ckpt plan note 'bcrypt cuts passwords at 72 bytes, so hash takes sha256 of the password first'"
runs s1 "ckpt plan claim hash"
writes s1 src/password.ts <<'END'
import { bcrypt } from "crypt";
export const store = (p: string) => save(bcrypt(sha256(p), 12));
END
says s1 "store uses bcrypt now. Login still compares plain text, that is the other half of this task."
dies s1

git clone --quiet "$LIFE/origin.git" "$LIFE/mara"
(
    cd "$LIFE/mara"
    sed -i 's/^<!-- CHECKPOINT: devices -->/<!-- DECISION: Passwords are hashed with argon2id, 64 MiB. No bcrypt: the security review of 7 April rejected it, and there are no old hashes -->\n\n&/' plans/*/plan.md
    by Mara git commit --quiet -am "Decide on argon2id after the security review"
    put src/devices.ts <<< "export const devices = (account) => query('devices', account);"
    sed -i 's/- \[ \] List the devices/- [x] List the devices/' plans/*/plan.md
    git add src && by Mara git commit --quiet -am "List the devices of an account"
    git push --quiet
)
git pull --quiet
