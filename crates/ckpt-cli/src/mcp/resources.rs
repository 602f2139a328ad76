//! The resources: the brief, the status, and each checkpoint.

use ckpt::key::Key;
use ckpt::workspace::Depth;
use rmcp::model::Resource;
use serde::Deserialize;

use super::call::{Call, Refused};
use super::line::Line;
use super::place::decoded;

/// How the URI of each resource begins.
const SCHEME: &str = "ckpt://";
/// The pattern of the URIs of checkpoints.
pub(super) const TEMPLATE: &str = "ckpt://{+key}";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

/// What a URI names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    Resume,
    Status,
    /// A checkpoint, as a user would type it.
    Checkpoint(String),
}

impl Named {
    /// What a URI names. A checkpoint may be named with its kind as the first part of the path.
    pub(super) fn read(uri: &str) -> Option<Self> {
        let rest = uri.strip_prefix(SCHEME)?;
        let name = String::from_utf8(decoded(rest)).ok()?;
        match name.as_str() {
            "" => None,
            "resume" => Some(Self::Resume),
            "status" => Some(Self::Status),
            _ => Some(Self::Checkpoint(match name.split_once('/') {
                Some((kind, rest)) if Key::KINDS.contains(&kind) => format!("{kind}:{rest}"),
                _ => name,
            })),
        }
    }

    /// The type of its content.
    pub(super) fn mime(&self) -> &'static str {
        match self {
            Self::Resume => TEXT,
            Self::Status | Self::Checkpoint(_) => JSON,
        }
    }

    /// Its content.
    pub(super) fn content(&self, call: &Call) -> Result<String, Refused> {
        match self {
            Self::Resume => {
                #[derive(Deserialize)]
                struct Resumed {
                    text: String,
                }
                let resumed: Resumed = call.run(Line::of(&["resume"]))?.read()?;
                Ok(resumed.text)
            }
            Self::Status => Ok(call.run(Line::of(&["status"]))?.pretty()),
            Self::Checkpoint(typed) => {
                // A file of that name must not be shown instead.
                let found = call.workspace()?.find_key(typed);
                let key = found.map_err(|error| error.to_string())?;
                let shown = call.run(Line::of(&["show"]).names([key.to_string()]))?;
                Ok(shown.pretty())
            }
        }
    }
}

/// The URI of a checkpoint.
fn uri_of(key: &Key) -> String {
    let path = key.to_string().replacen(':', "/", 1);
    let encoded = path.bytes().map(|byte| match byte {
        b'/' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    format!("{SCHEME}{}", encoded.collect::<String>())
}

/// All resources there are now.
pub(super) fn all(call: &Call) -> Result<Vec<Resource>, Refused> {
    let workspace = call.workspace()?;
    let listed = workspace.list(Depth::WithoutGit);
    let (summaries, _) = listed.map_err(|error| error.to_string())?;
    let fixed = [
        ("resume", TEXT, "Where the work stands and what is next"),
        ("status", JSON, "The checkpoints and their progress"),
    ];
    let fixed = fixed.map(|(name, mime, description)| {
        Resource::new(format!("{SCHEME}{name}"), name)
            .with_mime_type(mime)
            .with_description(description)
    });
    let checkpoints = summaries.iter().map(|summary| {
        Resource::new(uri_of(&summary.key), summary.key.short()).with_mime_type(JSON)
    });
    Ok(fixed.into_iter().chain(checkpoints).collect())
}
