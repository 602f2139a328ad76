//! Previews by the API of Vercel.

use serde::Deserialize;

use super::asker::{Line, Question, page, said};
use super::{Failed, Failure, Sighting};
use crate::secret::Secret;

/// How the id of a team begins; anything else is its slug.
const TEAM_ID: &str = "team_";

/// Deployments of a commit, as Vercel knows them.
#[derive(Debug, Clone)]
pub struct Vercel {
    /// The full id of the commit.
    pub commit: String,
    /// The project, by id or name.
    pub project: Option<String>,
    /// The team, by id or slug.
    pub team: Option<String>,
    /// The token.
    pub token: Secret,
}

#[derive(Deserialize)]
struct Answer {
    deployments: Vec<Deployment>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Deployment {
    url: Option<String>,
    state: Option<String>,
    ready_state: Option<String>,
    target: Option<String>,
    #[serde(default)]
    created: f64,
    #[serde(default)]
    meta: Meta,
    inspector_url: Option<String>,
    error_code: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    github_commit_sha: Option<String>,
}

impl Vercel {
    pub(super) fn question(&self) -> Question {
        let mut question = Question::new(&["v7", "deployments"], &self.token)
            .with("sha", &self.commit)
            .with("limit", "100");
        if let Some(project) = &self.project {
            question = question.with("projectId", project);
        }
        match &self.team {
            Some(team) if team.starts_with(TEAM_ID) => question.with("teamId", team),
            Some(team) => question.with("slug", team),
            None => question,
        }
    }

    pub(super) fn ask(&self, line: &mut Line<'_>) -> Result<Sighting, Sighting> {
        let answer: Answer = line.ask(&self.question())?;
        let deployments = answer.deployments.into_iter();
        let newest = deployments
            .filter(|one| self.is_meant(one))
            .max_by(|one, other| one.created.total_cmp(&other.created));
        Ok(newest.map_or(Sighting::Absent, sighting))
    }

    /// Whether it is a preview of exactly this commit, whatever was asked for.
    fn is_meant(&self, deployment: &Deployment) -> bool {
        let commit = deployment.meta.github_commit_sha.as_deref();
        commit == Some(self.commit.as_str()) && deployment.target.as_deref() != Some("production")
    }
}

fn sighting(deployment: Deployment) -> Sighting {
    let inspector = page(deployment.inspector_url);
    let state = deployment.ready_state.or(deployment.state);
    let failed = |how| {
        Sighting::Failed(Failed {
            how,
            reason: said(deployment.error_code.clone()),
            page: inspector.clone(),
        })
    };
    match state.as_deref().unwrap_or_default() {
        "READY" => Sighting::Ready(page(deployment.url.map(|host| format!("https://{host}")))),
        "ERROR" | "DELETED" => failed(Failure::Error),
        "CANCELED" => failed(Failure::Canceled),
        "BLOCKED" => Sighting::Blocked(inspector),
        "" => Sighting::Pending("in no state".to_owned()),
        other => Sighting::Pending(said(Some(other.to_lowercase())).unwrap_or_default()),
    }
}
