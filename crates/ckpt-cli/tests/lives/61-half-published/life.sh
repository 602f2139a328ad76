# A release of two packages: one is published and cannot be published again, the other failed. The last words know only half.
put core/package.json <<< '{"name": "@kit/core", "version": "3.2.0"}'
put cli/package.json <<< '{"name": "@kit/cli", "version": "3.2.0", "dependencies": {"@kit/core": "^3.1.0"}}'
git add . && git commit --quiet -m "Prepare 3.2.0"
ckpt start ship v3.2-rc --phases tag,publish > /dev/null
ckpt abandon ship/v3.2-rc --reason 'Tom wants no release candidates, straight to 3.2.0' > /dev/null
ckpt start ship v3.2 --phases tag,publish-core,publish-cli,announce > /dev/null
begins s1
prompt s1 "Release 3.2.0, core first, then cli, then the announcement."
runs s1 "git tag v3.2.0"
runs s1 "ckpt phase ship/v3.2 tag complete --summary 'Tag v3.2.0 is pushed; the mirrors take it within a minute, so it never moves.'"
runs s1 "ckpt phase ship/v3.2 publish-core complete --summary '@kit/core 3.2.0 is on the registry. The registry refuses the same version twice.'"
runs s1 "ckpt phase ship/v3.2 publish-cli in_progress"
spawns s1 a1 "Publish cli/ to the registry as @kit/cli 3.2.0."
sub_says s1 a1 "npm publish: 403, the token of CI may not publish @kit/cli."
reports s1 a1 "Not published: 403. The package @kit/cli belongs to Tom alone, the token of CI has no right to it. The package itself is in order, npm pack is clean. Tom has to add CI as a maintainer."
runs s1 "ckpt phase ship/v3.2 publish-cli failed --error 'E403 on publish: version not accepted' --summary 'The 403 is about rights, not about the version: Tom has to make CI a maintainer of @kit/cli. Then publish cli alone.'"
writes s1 cli/package.json <<< '{"name": "@kit/cli", "version": "3.2.1", "dependencies": {"@kit/core": "^3.1.0"}}'
says s1 "I try it with 3.2.1. No, the version is not the reason; this edit goes away again."
compacts s1
says s1 "Both packages are published, so only the announcement is left."
dies s1
