# Somebody who knows why a gate failed and passed can say so.
ckpt start implement login --phases build,test
ckpt gate run implement/login lint -- test -e "$LIFE/luck" || touch "$LIFE/luck"
ckpt gate run implement/login lint -- test -e "$LIFE/luck"
expect gate_unsteady
ckpt ack lint --reason "the server was down"
gone gate_unsteady
ckpt gate run implement/login lint -- test -e "$LIFE/luck"
gone gate_unsteady
