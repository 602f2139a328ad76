//! Checks the settings of integrations, and what the user has allowed of them.

use ckpt::integrations::FILE;
use ckpt::voice::{name, names};
use ckpt::{Severity, workspace::PermissionStanding};

use super::{Examination, Verdict};
use crate::services::{Services, how_to_allow};

impl Examination<'_> {
    pub(super) fn integrations(&mut self) {
        let services = match Services::open(self.session, self.variables) {
            Ok(services) => services,
            Err(failure) => {
                self.note(Verdict::Broken, "integrations", failure.message());
                self.advise("Mend the file or remove it; nothing is sent until then");
                return;
            }
        };
        if !services.is_configured {
            return;
        }
        for finding in &services.findings {
            let verdict = match finding.severity {
                Severity::Error => Verdict::Broken,
                Severity::Warning => Verdict::Warning,
            };
            self.note(verdict, "integrations", format!("{FILE}: {finding}"));
        }
        let integrations = &services.integrations;
        for destination in integrations.destinations() {
            let shown = name(&destination.name).into_owned();
            // Who would get what is named, because the file may come from somebody else.
            let mut what = match destination.url == destination.name {
                true => shown.clone(),
                false => format!("{shown} ({})", name(&destination.url)),
            };
            if let Some(secret) = &destination.secret {
                what += &format!(" with the secret in {}", name(&secret.to_string()));
            }
            if !destination.events.is_empty() {
                what += &format!(" for events {}", names(&destination.events));
            }
            let text = match services.standing(&destination) {
                PermissionStanding::Allowed(_) => {
                    self.note(Verdict::Ok, "integrations", format!("{what} is allowed"));
                    continue;
                }
                PermissionStanding::Changed(_) => {
                    format!("{what} is not what you allowed, so nothing is sent")
                }
                PermissionStanding::Unknown => {
                    format!("{what} is not allowed, so nothing is sent")
                }
            };
            self.note(Verdict::Warning, "integrations", text);
            let how = how_to_allow(&destination);
            self.advise(format!("If you want it, allow it with: {how}"));
        }
    }
}
