//! The command line.

use std::path::PathBuf;

pub(crate) const HELP: &str = "\
Kills, faults and power cuts against the ckpt binary, counted in one table.

Usage: scripts/kill-matrix [OPTIONS]

Options:
  --quick        try a sample of the points, chosen by the seed
  --seed N       the seed of everything random; default: 1
  --only PART    run only this part: faults, storms or power; can be repeated
  --name WORD    of the faults, only the operations whose names contain this word
  --write PATH   write the table into this page, between its markers; with --only or --name, the other rows there stay
  --binary PATH  the binary; scripts/kill-matrix builds the released one without this
  --help         print this

Exit code: 0 nothing was lost, 1 something was, 2 the run failed.
";

const PARTS: [&str; 3] = ["faults", "storms", "power"];

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) help: bool,
    pub(crate) quick: bool,
    pub(crate) seed: u64,
    /// Empty means all.
    only: Vec<String>,
    pub(crate) name: Option<String>,
    pub(crate) write: Option<PathBuf>,
    pub(crate) binary: PathBuf,
}

impl Options {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            help: false,
            quick: false,
            seed: 1,
            only: Vec::new(),
            name: None,
            write: None,
            binary: PathBuf::new(),
        };
        while let Some(word) = words.next() {
            let mut value = || {
                let value = words.next();
                value.ok_or_else(|| format!("{word} needs a value. See --help"))
            };
            match word.as_str() {
                "--help" | "-h" => options.help = true,
                "--quick" => options.quick = true,
                "--seed" => {
                    let seed = value()?.parse();
                    options.seed = seed.map_err(|_| "--seed takes a number".to_owned())?;
                }
                "--only" => {
                    let part = value()?;
                    if !PARTS.contains(&part.as_str()) {
                        return Err(format!("--only takes one of {}", PARTS.join(", ")));
                    }
                    options.only.push(part);
                }
                "--name" => options.name = Some(value()?),
                "--write" => options.write = Some(value()?.into()),
                "--binary" => options.binary = value()?.into(),
                _ => return Err(format!("unknown option {word}. See --help")),
            }
        }
        if !options.help {
            let binary = options.binary.canonicalize();
            options.binary =
                binary.map_err(|error| format!("cannot use the binary of --binary: {error}"))?;
        }
        Ok(options)
    }

    /// Whether everything is tried.
    pub(crate) fn is_whole(&self) -> bool {
        self.only.is_empty() && self.name.is_none()
    }

    pub(crate) fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == part)
    }
}
