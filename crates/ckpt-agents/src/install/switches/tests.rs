use super::*;

fn layer(author: Author, text: &str) -> Layer<'_> {
    Layer {
        name: text,
        text,
        author,
    }
}

#[test]
fn of_several_settings_the_first_that_says_anything_decides() {
    let on = r#"{ "disableAllHooks": false }"#;
    let off = "{ // for now\n \"disableAllHooks\": true }";
    let [user, managed] = [Author::User, Author::Organisation];
    for (layers, expected) in [
        (vec![layer(user, "{}"), layer(user, off)], Some(off)),
        (vec![layer(user, on), layer(user, off)], None),
        (vec![layer(user, "{ broken"), layer(user, off)], Some(off)),
        (
            vec![layer(user, "{ \"disableAllHooks\": 1 }"), layer(user, off)],
            Some(off),
        ),
        (vec![layer(managed, off), layer(user, on)], Some(off)),
        (vec![layer(managed, on), layer(user, off)], None),
    ] {
        let found = switched_off(&layers).map(|off| off.layer.text);
        assert_eq!(found, expected, "{layers:?}");
    }
}

#[test]
fn only_an_organisation_can_have_its_own_hooks_called_alone() {
    let alone = r#"{ "allowManagedHooksOnly": true }"#;
    assert_eq!(switched_off(&[layer(Author::User, alone)]), None);
    let off = switched_off(&[layer(Author::Organisation, alone)]);
    assert_eq!(off.map(|off| off.key), Some("allowManagedHooksOnly"));
}
