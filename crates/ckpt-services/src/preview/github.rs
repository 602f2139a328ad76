//! Previews by Vercel, as GitHub knows them: deployments, and the status of the commit.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::asker::{Line, Question, page, said};
use super::{Failed, Failure, Sighting};
use crate::secret::Secret;

/// Who makes the deployments.
const CREATOR: &str = "vercel[bot]";

/// How the environments of previews begin, and the status of a commit. A dash and a project may follow.
const ENVIRONMENT: &str = "Preview";
const CONTEXT: &str = "Vercel";

/// The dash in a name, before a project.
const DASH: &str = " – ";

/// Deployments of a commit, as GitHub knows them.
#[derive(Debug, Clone)]
pub struct GitHub {
    /// The full id of the commit.
    pub commit: String,
    /// The owner of the repository.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// The project at Vercel, by name.
    pub project: Option<String>,
    /// The token.
    pub token: Secret,
}

#[derive(Deserialize)]
struct Deployment {
    id: u64,
    sha: String,
    environment: String,
    creator: Option<Creator>,
    #[serde(default)]
    created_at: String,
}

#[derive(Deserialize)]
struct Creator {
    login: String,
}

#[derive(Deserialize)]
struct Status {
    state: String,
    environment_url: Option<String>,
    target_url: Option<String>,
    log_url: Option<String>,
    description: Option<String>,
    #[serde(default)]
    created_at: String,
}

#[derive(Deserialize)]
struct Combined {
    statuses: Vec<CommitStatus>,
}

#[derive(Deserialize)]
struct CommitStatus {
    context: String,
    state: String,
    target_url: Option<String>,
    description: Option<String>,
}

impl GitHub {
    pub(super) fn question(&self, below: &[&str]) -> Question {
        let path = [&["repos", &self.owner, &self.name], below].concat();
        let mut question = Question::new(&path, &self.token);
        let accepted = "application/vnd.github+json".to_owned();
        question.headers.push(("accept", accepted));
        let version = "2022-11-28".to_owned();
        question.headers.push(("x-github-api-version", version));
        question.with("per_page", "100")
    }

    fn get<T: DeserializeOwned>(&self, line: &mut Line<'_>, below: &[&str]) -> Result<T, Sighting> {
        line.ask(&self.question(below))
    }

    pub(super) fn ask(&self, line: &mut Line<'_>) -> Result<Sighting, Sighting> {
        let question = self.question(&["deployments"]).with("sha", &self.commit);
        let deployments: Vec<Deployment> = line.ask(&question)?;
        let deployments = deployments.into_iter();
        let newest = deployments
            .filter(|one| self.is_meant(one))
            .max_by(|one, other| (&one.created_at, one.id).cmp(&(&other.created_at, other.id)));
        let Some(newest) = newest else {
            return self.without_deployment(line);
        };
        let below = ["deployments", &newest.id.to_string(), "statuses"];
        let mut statuses: Vec<Status> = self.get(line, &below)?;
        // Stable, so what GitHub gives first stays first among equals.
        statuses.sort_by(|one, other| other.created_at.cmp(&one.created_at));
        Ok(sighting(statuses))
    }

    /// Whether it is a preview of exactly this commit by Vercel, whatever was asked for.
    fn is_meant(&self, deployment: &Deployment) -> bool {
        let creator = deployment.creator.as_ref();
        deployment.sha == self.commit
            && creator.is_some_and(|creator| creator.login == CREATOR)
            && self.is_about(&deployment.environment, ENVIRONMENT)
    }

    /// Whether a name is this word alone, or with a dash and the project.
    fn is_about(&self, name: &str, word: &str) -> bool {
        let Some(rest) = name.strip_prefix(word) else {
            return false;
        };
        match (rest.strip_prefix(DASH), &self.project) {
            (Some(project), Some(wanted)) => project == wanted,
            (Some(_), None) => true,
            (None, _) => rest.is_empty(),
        }
    }

    /// A build that was rejected leaves only a status of the commit.
    fn without_deployment(&self, line: &mut Line<'_>) -> Result<Sighting, Sighting> {
        let combined: Combined = self.get(line, &["commits", &self.commit, "status"])?;
        let failed = combined.statuses.into_iter().find(|status| {
            matches!(status.state.as_str(), "failure" | "error")
                && self.is_about(&status.context, CONTEXT)
        });
        Ok(failed.map_or(Sighting::Absent, |status| {
            Sighting::Failed(Failed {
                how: Failure::Rejected,
                reason: said(status.description),
                page: page(status.target_url),
            })
        }))
    }
}

/// What the statuses of a deployment say, the newest first.
fn sighting(statuses: Vec<Status>) -> Sighting {
    let is_any = !statuses.is_empty();
    // Inactive means that another one took its place; what it was before comes next.
    let mut statuses = statuses.into_iter();
    let Some(status) = statuses.find(|status| status.state != "inactive") else {
        return match is_any {
            true => Sighting::Failed(Failed {
                how: Failure::Canceled,
                reason: None,
                page: None,
            }),
            false => Sighting::Pending("queued".to_owned()),
        };
    };
    match status.state.as_str() {
        "success" => Sighting::Ready(page(status.environment_url).or(page(status.target_url))),
        "failure" | "error" => Sighting::Failed(Failed {
            how: Failure::Error,
            reason: said(status.description),
            page: page(status.log_url).or(page(status.target_url)),
        }),
        other => {
            let state = said(Some(other.replace('_', " ")));
            Sighting::Pending(state.unwrap_or_default())
        }
    }
}
