//! The programs of the services, as cargo builds them.
//!
//! **Invariant:** what is tried is what users run, never a copy of it in this program.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::trouble::Trouble;

/// Packages that are built together, so that what they share is built once.
const PACKAGES: [&str; 3] = ["handfoot-game-service", "handfoot-bot-service", "handfoot-faults"];

/// Where the programs are.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    pub(crate) game: PathBuf,
    pub(crate) bot: PathBuf,
}

impl Programs {
    /// Takes those in a folder; without one, those beside this program, which are built first if
    /// cargo runs it.
    ///
    /// # Errors
    ///
    /// `Programs` if they are not there or cannot be built.
    pub(crate) fn find(folder: Option<&Path>) -> Result<Programs, Trouble> {
        let beside = std::env::current_exe().map_err(Trouble::system("this program's path"))?;
        let beside = beside.parent().unwrap_or(Path::new("."));
        if let (None, Some(cargo)) = (folder, std::env::var_os("CARGO")) {
            build(Path::new(&cargo), beside)?;
        }
        let folder = folder.unwrap_or(beside);
        let program = |name: &str| {
            let path = folder.join(name);
            let packages = PACKAGES.map(|name| format!(" -p {name}")).concat();
            let missing = || {
                let path = path.display();
                Trouble::Programs(format!("{path} is missing; build it with cargo build{packages}"))
            };
            if path.is_file() { Ok(path) } else { Err(missing()) }
        };
        Ok(Programs { game: program("game-service")?, bot: program("bot-service")? })
    }
}

/// Brings the programs in a target folder up to date.
fn build(cargo: &Path, folder: &Path) -> Result<(), Trouble> {
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet"]).args(PACKAGES.map(|name| format!("--package={name}")));
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    if let Some(target) = folder.parent() {
        command.env("CARGO_TARGET_DIR", target);
    }
    match command.status().map_err(Trouble::system("starting cargo"))?.success() {
        true => Ok(()),
        false => Err(Trouble::Programs("cargo could not build the services".to_owned())),
    }
}
