//! The `ckpt` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    ckpt_cli::main()
}
