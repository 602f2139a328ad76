# A pulled commit copies the line of a finished task, id and all, for a second region. What looks next deletes the originals.
git init --quiet --bare --initial-branch=main "$LIFE/origin.git"
git remote add origin "$LIFE/origin.git"
plan=plans/260401-0900-encrypted-backups/plan.md
put $plan <<'END'
# Encrypted backups

## Encrypt
<!-- CHECKPOINT: encrypt -->
- [ ] Create the backup key <!-- TASK: backup-key -->
- [ ] Encrypt the backups in Frankfurt <!-- TASK: encrypt-backups -->
- [ ] Restore one encrypted backup <!-- TASK: restore-drill -->
- [ ] A restore from every bucket has been tried <!-- ACCEPT: every-bucket -->

## Clean up
<!-- CHECKPOINT: clean-up -->
- [ ] Delete the plain backups <!-- TASK: delete-plain -->
- [ ] Shorten the text about retention <!-- TASK: retention-text -->
END
put conf/buckets.txt <<< "backups-frankfurt"
put scripts/encrypt.sh <<< 'gpg --encrypt-files "$1"'
put scripts/purge.sh <<< 'while read -r bucket; do s3 rm --recursive "$bucket/plain/"; done < conf/buckets.txt'
git add . && git commit --quiet -m "Plan encrypted backups"
git push --quiet -u origin main
ckpt plan sync

begins s1
prompt s1 "Encrypt our backups, then remove the plain ones."
runs s1 "echo 'key 7F31' > conf/key.txt && ckpt plan done backup-key"
runs s1 "echo 'encrypted: backups-frankfurt' > conf/encrypted.txt && ckpt plan done encrypt-backups"
runs s1 "ckpt plan done restore-drill && ckpt plan accept every-bucket"
runs s1 "ckpt plan note 'delete-plain: scripts/purge.sh empties plain/ in every bucket of conf/buckets.txt, and versioning is off, so nothing comes back'"
runs s1 "git add . && git commit -qm 'Encrypt the backups in Frankfurt' && git push -q"
says s1 "Frankfurt is encrypted and one restore worked. What is left is scripts/purge.sh and a text."
ends s1

git clone --quiet "$LIFE/origin.git" "$LIFE/yusuf"
(
    cd "$LIFE/yusuf"
    sed -i '/Encrypt the backups in Frankfurt/a - [ ] Encrypt the backups in Dublin <!-- TASK: encrypt-backups -->' $plan
    echo "backups-dublin" >> conf/buckets.txt
    by Yusuf git commit --quiet -am "Back up to Dublin as well"
    git push --quiet
)
git pull --quiet
