# Three passes in a row are enough, and another command is another test.
ckpt start implement login --phases build,test
ckpt gate run implement/login lint -- test -e "$LIFE/luck" || touch "$LIFE/luck"
ckpt gate run implement/login lint -- test -e "$LIFE/luck"
expect gate_unsteady
ckpt gate run implement/login lint -- test -e "$LIFE/luck"
expect gate_unsteady
ckpt gate run implement/login lint -- test -e "$LIFE/luck"
gone gate_unsteady
ckpt gate run implement/login types -- false || true
ckpt gate run implement/login types -- true
gone gate_unsteady
