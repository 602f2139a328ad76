//! Checks the settings of integrations, and what the user has allowed of them.

use ckpt::follower::FollowerName;
use ckpt::integrations::{Destination, FILE, Linear, Vercel};
use ckpt::voice::{name, names, suggested};
use ckpt::{Severity, workspace::PermissionStanding};

use super::{Examination, Verdict};
use crate::commands::notify::given_up;
use crate::services::{Services, how_to_allow};

impl Examination<'_> {
    pub(super) fn services(&mut self) {
        let services = match Services::open(self.session, self.variables) {
            Ok(services) => services,
            Err(failure) => {
                self.note(Verdict::Broken, "services", failure.message());
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
            self.note(verdict, "services", format!("{FILE}: {finding}"));
        }
        let integrations = &services.integrations;
        self.linear(&integrations.linear);
        self.vercel(&integrations.vercel);
        for destination in integrations.destinations() {
            let shown = name(&destination.name).into_owned();
            // Who would get what is named, because the file may come from somebody else.
            let mut what = match destination.url == destination.name {
                true => shown.clone(),
                false => format!("{shown} ({})", name(&destination.url)),
            };
            if let Some(subject) = &destination.subject {
                what += &format!(" about {}", name(subject));
            }
            if let Some(secret) = &destination.secret {
                what += &format!(" with the secret in {}", name(&secret.to_string()));
            }
            if !destination.events.is_empty() {
                what += &format!(" for events {}", names(&destination.events));
            }
            let text = match services.standing(&destination) {
                PermissionStanding::Allowed(_) => {
                    self.allowed(&services, &destination, &what);
                    continue;
                }
                PermissionStanding::Changed(_) => {
                    format!("{what} is not what you allowed, so nothing is sent")
                }
                PermissionStanding::Unknown => {
                    format!("{what} is not allowed, so nothing is sent")
                }
            };
            self.note(Verdict::Warning, "services", text);
            let how = how_to_allow(&destination);
            self.advise(format!("If you want it, allow it with: {how}"));
        }
    }

    /// A destination that the user has allowed: whether it can be reached from here, and what was given up.
    fn allowed(&mut self, services: &Services<'_>, destination: &Destination, what: &str) {
        if let Err(why) = services.contact(destination) {
            let text = format!("{what} cannot be contacted from here: {why}");
            self.note(Verdict::Warning, "services", text);
            return;
        }
        let name = FollowerName::new(&destination.name);
        let given_up = name.map_or(0, |name| given_up(self.session, &name));
        if given_up > 0 {
            let text = format!("{what} did not get {given_up} messages, which were given up");
            self.note(Verdict::Warning, "services", text);
            let retry = suggested(&destination.name);
            self.advise(format!("Send them with: ckpt notify retry {retry}"));
            return;
        }
        self.note(Verdict::Ok, "services", format!("{what} is allowed"));
    }

    fn linear(&mut self, linear: &Linear) {
        if !linear.enabled {
            return;
        }
        let prefix = match linear.branch_prefix.as_str() {
            "" => String::new(),
            prefix => format!("{}/", name(prefix)),
        };
        let mut text = format!("linear: issues have branches such as {prefix}BAS-6-login");
        if !linear.team.is_empty() {
            text += &format!(", team {}", name(&linear.team));
        }
        if linear.use_native_automation {
            text += ", and Linear follows them by itself";
        }
        self.note(Verdict::Ok, "services", text);
    }

    fn vercel(&mut self, vercel: &Vercel) {
        if !vercel.enabled {
            return;
        }
        let seconds = vercel.preview_timeout_ms.div_ceil(1_000);
        let text = match (vercel.wait_for_preview, vercel.require_preview_success) {
            (false, _) => "vercel: shipping does not wait for the preview".to_owned(),
            (true, true) => {
                format!("vercel: shipping waits {seconds} s for the preview, which must succeed")
            }
            (true, false) => {
                format!("vercel: shipping waits {seconds} s for the preview, which may fail")
            }
        };
        self.note(Verdict::Ok, "services", text);
    }
}
