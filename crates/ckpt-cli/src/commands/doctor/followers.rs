//! Checks whether followers are told.

use ckpt::voice::name;

use super::{Examination, Verdict};
use crate::failure::Failure;

impl Examination<'_> {
    pub(super) fn followers(&mut self) -> Result<(), Failure> {
        let followers = self.session.workspace.followers();
        for follower in followers.all()? {
            let standing = followers.standing(follower)?;
            let shown = standing.follower.name.to_string();
            if let Some(error) = &standing.report.error {
                let text = format!("{shown} could not be told: {}", name(error));
                self.note(Verdict::Warning, "follower", text);
                let again = match standing.follower.is_service {
                    true => format!("ckpt notify retry {shown}"),
                    false => format!("ckpt followers run {shown} --once"),
                };
                self.advise(format!("Nothing is lost. Try again with: {again}"));
            } else if standing.is_silent {
                let text =
                    format!("{shown} was not served for 30 days, and nothing is kept for it");
                self.note(Verdict::Warning, "follower", text);
                let remove = match standing.follower.is_service {
                    true => format!("ckpt notify revoke {shown}"),
                    false => format!("ckpt followers remove {shown}"),
                };
                self.advise(format!("Remove it with: {remove}"));
            } else {
                let text = format!("{shown} is {} lines behind", standing.lag.lines);
                self.note(Verdict::Ok, "follower", text);
            }
        }
        Ok(())
    }
}
