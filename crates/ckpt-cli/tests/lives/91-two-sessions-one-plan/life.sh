mkdir -p src/cart src/account src/mail messages
echo 'export const subject = "Your order";' > src/mail/subjects.ts
echo '{}' > messages/en.json
cat > notes.md <<'END'
# Localise the storefront

## Extract the strings
<!-- CHECKPOINT: extract -->
- [ ] Move the strings of the cart to messages/en.json <!-- TASK: cart-strings -->
- [ ] Move the strings of the checkout to messages/en.json <!-- TASK: checkout-strings -->
- [ ] Move the strings of the account pages to messages/en.json <!-- TASK: account-strings -->
- [ ] Move the strings of the mails to messages/en.json <!-- TASK: mail-strings -->

## Translate
<!-- CHECKPOINT: translate -->
- [ ] German translation in messages/de.json <!-- TASK: german -->
- [ ] Language switch in the footer <!-- TASK: language-switch -->
END
ckpt plan new 'Localise the storefront' --from notes.md > /dev/null
rm notes.md
git add . && git commit --quiet -m 'Plan the localisation'
begins s1
prompt s1 'Work through the localisation plan, one area after the other, a commit for each. German only starts when every string is extracted, the translator is paid per delivery.'
runs s1 'ckpt plan claim cart-strings'
writes s1 src/cart/Cart.tsx <<< 'export const Cart = () => t("cart.title");'
runs s1 'git add src && git commit --quiet -m "Extract the strings of the cart" && ckpt plan done cart-strings'
runs s1 "ckpt plan decide 'ICU MessageFormat with flat keys such as cart.title, no gettext' --reason 'the translator delivers ICU'"
begins s2
prompt s2 'Take the checkout strings of the localisation plan. Another session does the other areas, stay out of them.'
runs s2 'ckpt plan claim checkout-strings --by team:checkout'
writes s2 src/checkout/Summary.tsx <<< 'export const Summary = () => t("checkout.summary");'
says s2 'Summary is moved over; the payment step has about thirty strings left.'
runs s1 'ckpt plan claim account-strings'
writes s1 src/account/Profile.tsx <<< 'export const Profile = () => t("account.profile");'
runs s1 'git add src/account && git commit --quiet -m "Extract the strings of the account pages" && ckpt plan done account-strings'
runs s1 "ckpt plan note 'Mails: the subjects are in src/mail/subjects.ts; the number of items needs an ICU plural'"
says s1 'Cart and account are done and committed. The mails are next; the other session is still in the checkout.'
ends s1
