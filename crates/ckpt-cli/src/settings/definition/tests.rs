use super::*;
use crate::environment::SETTING_PREFIX;

#[test]
fn a_variable_is_called_like_its_setting() {
    for setting in &SETTINGS {
        let composed = format!("{SETTING_PREFIX}{}", setting.name.to_ascii_uppercase());
        assert_eq!(setting.variable, composed);
    }
}
