//! The services that are known by name, and where their APIs are.

/// The API of Vercel.
pub const VERCEL: &str = "https://api.vercel.com";

/// The API of GitHub.
pub const GITHUB: &str = "https://api.github.com";

/// The API of Linear.
pub const LINEAR: &str = "https://api.linear.app/graphql";
