//! What shipping needs, and what settles it.

use crate::facts::{GateFact, Hazard, Work};
use crate::gate::{KnownPreview, PREVIEW, Proof, Success, Verdict};
use crate::repository::Pushed;
use crate::voice::{first_names, name, quote, quotes, suggested};

/// Whether a need is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NeedStanding {
    /// It is met.
    Met,
    /// It is not met, which does not stop shipping.
    Advised,
    /// It is not met, so nothing may be shipped.
    Unmet,
}

/// Something that shipping needs.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Need {
    /// What it is.
    pub about: String,
    /// Whether it is met.
    pub standing: NeedStanding,
    /// How it stands, in words.
    pub text: String,
    /// The command that settles it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// What is known about something that is to be shipped.
#[derive(Debug, Clone, Copy)]
pub struct Shipping<'s> {
    /// The checkpoint that ships it.
    pub work: &'s Work,
    /// The verdict of its gate.
    pub verdict: &'s Verdict,
    /// Other checkpoints whose gates block, and why.
    pub others: &'s [(String, Vec<String>)],
    /// Its preview.
    pub preview: Option<&'s KnownPreview>,
    /// Whether a preview has to succeed; `None` if none is wanted.
    pub wanted: Option<Success>,
    /// The files that are not committed; `None` outside git.
    pub uncommitted: Option<&'s [String]>,
    /// How far the branch has been pushed; `None` outside git.
    pub pushed: Option<&'s Pushed>,
    /// The branch.
    pub branch: Option<&'s str>,
    /// The commit that is checked out.
    pub commit: Option<&'s str>,
    /// What is wrong with the settings of integrations.
    pub flaws: &'s [String],
    /// The file with these settings.
    pub settings: &'s str,
}

/// All that shipping needs. It is ready if nothing is unmet.
#[must_use]
pub fn readiness(shipping: &Shipping<'_>) -> Vec<Need> {
    let mut needs = vec![shipping.gate()];
    needs.extend(shipping.others.iter().map(other_gate));
    needs.extend(shipping.receipts());
    needs.extend(shipping.preview());
    needs.extend(shipping.stops());
    needs.push(shipping.work_tree());
    needs.push(shipping.pushed());
    needs.extend(shipping.flaws.iter().map(|flaw| Need {
        about: "settings".to_owned(),
        standing: NeedStanding::Unmet,
        text: flaw.clone(),
        command: Some(format!("ckpt validate {}", shipping.settings)),
    }));
    needs
}

fn met(about: &str, text: impl Into<String>) -> Need {
    Need {
        about: about.to_owned(),
        standing: NeedStanding::Met,
        text: text.into(),
        command: None,
    }
}

fn unmet(about: &str, text: impl Into<String>, command: String) -> Need {
    Need {
        about: about.to_owned(),
        standing: NeedStanding::Unmet,
        text: text.into(),
        command: Some(command),
    }
}

impl Need {
    /// The same, if it does not stop shipping.
    fn advised(self) -> Self {
        Self {
            standing: NeedStanding::Advised,
            ..self
        }
    }
}

fn other_gate((key, reasons): &(String, Vec<String>)) -> Need {
    let text = format!("{} blocks: {}", name(key), quotes(reasons));
    unmet(
        "other gate",
        text,
        format!("ckpt gate check {}", suggested(key)),
    )
}

impl Shipping<'_> {
    fn key(&self) -> String {
        suggested(&self.work.key.short())
    }

    fn gate(&self) -> Need {
        let approve = format!("ckpt gate set {} --allow", self.key());
        match self.verdict {
            Verdict::Allowed { .. } => met("gate", "shipping is approved"),
            Verdict::Overridden { reason, .. } => {
                met("gate", format!("overridden: {}", quote(reason)))
            }
            Verdict::Blocked { reasons } => unmet("gate", quotes(reasons), approve),
            Verdict::NotChecked => unmet("gate", "the content could not be compared", approve),
        }
    }

    /// The gates that were run. The preview has a line of its own if one is wanted.
    fn receipts(&self) -> impl Iterator<Item = Need> {
        let gates = self.work.gates.iter();
        let gates = gates.filter(|gate| self.wanted.is_none() || gate.gate != PREVIEW);
        gates.map(|gate| self.receipt(gate))
    }

    fn receipt(&self, gate: &GateFact) -> Need {
        let about = format!("gate {}", name(&gate.name()));
        let run = gate.run.clone();
        let run = run.unwrap_or_else(|| format!("ckpt gate show {}", self.key()));
        let need = unmet(&about, gate.proof.as_str(), run);
        match gate.proof {
            Proof::Proven => met(&about, gate.proof.as_str()),
            Proof::Claimed | Proof::NotChecked | Proof::Tolerated => need.advised(),
            _ => need,
        }
    }

    fn preview(&self) -> Option<Need> {
        let wanted = self.wanted?;
        let wait = format!("ckpt ship preview {}", self.key());
        let need = |text: String| unmet(PREVIEW, text, wait.clone());
        let lacking = |text: String| match wanted {
            Success::Required => need(text),
            Success::Welcome => need(text).advised(),
        };
        let Some(preview) = self.preview else {
            return Some(lacking("nobody has waited for it".to_owned()));
        };
        Some(match preview.proof {
            Proof::Proven if preview.commit.as_deref() != self.commit => {
                lacking("it was waited for at another commit".to_owned())
            }
            Proof::Proven => match &preview.url {
                Some(url) => met(PREVIEW, format!("ready, {url}")),
                None => met(PREVIEW, "ready"),
            },
            Proof::Tolerated => lacking(preview.ending.clone()),
            // It was required, and blocks until it passes.
            Proof::Failed => need(preview.ending.clone()),
            older => lacking(older.as_str().to_owned()),
        })
    }

    /// Sub-agents that said not to proceed.
    fn stops(&self) -> impl Iterator<Item = Need> {
        let blockers = self.work.blockers.iter();
        let stops = blockers.filter(|blocker| blocker.hazard == Hazard::Stopped);
        stops.map(|stop| Need {
            about: "blocker".to_owned(),
            standing: NeedStanding::Unmet,
            text: quote(&stop.text),
            command: stop.record.clone(),
        })
    }

    fn work_tree(&self) -> Need {
        let about = "work tree";
        match self.uncommitted {
            None => unmet(about, "this is not a git repository", "git init".to_owned()),
            Some([]) => met(about, "everything is committed"),
            Some(files) => {
                let text = format!("not committed: {}", first_names(files));
                unmet(about, text, "git status".to_owned())
            }
        }
    }

    fn pushed(&self) -> Need {
        let about = "push";
        let branch = suggested(self.branch.unwrap_or("BRANCH"));
        match self.pushed {
            Some(Pushed::All) => met(about, "everything is pushed"),
            Some(Pushed::Ahead) => unmet(about, "there are commits to push", "git push".to_owned()),
            Some(Pushed::Never(remote)) => {
                let push = format!("git push --set-upstream {} {branch}", suggested(remote));
                unmet(about, "the branch is not on the remote", push)
            }
            Some(Pushed::Detached) => {
                let switch = "git switch -c BRANCH".to_owned();
                unmet(about, "no branch is checked out", switch).advised()
            }
            Some(Pushed::Nowhere) | None => {
                let add = "git remote add origin URL".to_owned();
                unmet(about, "there is nowhere to push to", add).advised()
            }
        }
    }
}

#[cfg(test)]
mod tests;
