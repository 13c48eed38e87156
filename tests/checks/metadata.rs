//! What cargo knows of the workspace: packages, licences, dependencies.
//!
//! **Invariant:** cargo is asked offline and only for this machine's platform, so that nothing is
//! fetched that the build did not need.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use super::{Problem, expect_one, report, tree};

/// The licence of every package of the workspace.
const OWN_LICENCE: &str = "MIT OR Apache-2.0";

/// What a package says of itself.
#[derive(Clone, Debug)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) licence: Option<String>,
    /// Whether it is a package of this workspace.
    pub(super) is_ours: bool,
    /// Where its manifest is.
    pub(super) manifest_path: String,
    pub(super) dependencies: Vec<Dependency>,
}

/// One package's wish for another.
#[derive(Clone, Debug)]
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) kind: DependencyKind,
}

/// What a dependency is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DependencyKind {
    Normal,
    Build,
    Dev,
}

/// Asks cargo for every package, ours and others.
pub(super) fn packages() -> Vec<Package> {
    let platform =
        output(Command::new("rustc").current_dir(tree::root()).args(["--print", "host-tuple"]));
    let json = output(Command::new(env!("CARGO")).current_dir(tree::root()).args([
        "metadata",
        "--format-version=1",
        "--offline",
        "--filter-platform",
        platform.trim(),
    ]));
    let metadata: Value = serde_json::from_str(&json).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("metadata lists packages");
    packages.iter().map(package).collect()
}

fn output(command: &mut Command) -> String {
    match command.output() {
        Ok(output) if output.status.success() => {
            String::from_utf8(output.stdout).expect("cargo prints UTF-8")
        }
        Ok(output) => panic!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => panic!("{command:?}: {error}"),
    }
}

fn package(value: &Value) -> Package {
    let text = |field: &str| value[field].as_str().map(str::to_owned);
    let dependencies = value["dependencies"].as_array().expect("a package lists dependencies");
    Package {
        name: text("name").expect("a package has a name"),
        licence: text("license"),
        is_ours: value["source"].is_null(),
        manifest_path: text("manifest_path").expect("a package has a manifest"),
        dependencies: dependencies.iter().map(dependency).collect(),
    }
}

fn dependency(value: &Value) -> Dependency {
    Dependency {
        name: value["name"].as_str().expect("a dependency has a name").to_owned(),
        kind: match value["kind"].as_str() {
            Some("dev") => DependencyKind::Dev,
            Some("build") => DependencyKind::Build,
            _ => DependencyKind::Normal,
        },
    }
}

/// The licences that `deny.toml` allows: there is one list, and this check reads it.
fn allowed_licences() -> BTreeSet<String> {
    let deny: toml::Table = tree::file("deny.toml").text.parse().expect("deny.toml is TOML");
    let allow = deny["licenses"]["allow"].as_array().expect("deny.toml lists licences");
    allow.iter().map(|item| item.as_str().expect("a licence is text").to_owned()).collect()
}

fn licence_problems(packages: &[Package], allowed: &BTreeSet<String>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for Package { name, licence, is_ours, .. } in packages {
        match licence.as_deref() {
            None => problems.push(format!("{name}: has no licence field")),
            Some(licence) if *is_ours && licence != OWN_LICENCE => {
                problems.push(format!("{name}: licence `{licence}`, not `{OWN_LICENCE}`"));
            }
            Some(licence) if !*is_ours && !Licence::new(licence, allowed).read() => {
                problems.push(format!("{name}: licence `{licence}` is not in deny.toml"));
            }
            Some(_) => {}
        }
    }
    problems
}

/// Reads an SPDX expression: `OR` binds loosest, then `AND`, then `WITH`.
struct Licence<'a> {
    words: Vec<String>,
    at: usize,
    allowed: &'a BTreeSet<String>,
}

impl<'a> Licence<'a> {
    fn new(expression: &str, allowed: &'a BTreeSet<String>) -> Licence<'a> {
        // A slash, or small letters, are old ways to write `OR`.
        let spaced = expression
            .replace('/', " OR ")
            .replace(" or ", " OR ")
            .replace('(', " ( ")
            .replace(')', " ) ");
        let words = spaced.split_whitespace().map(str::to_owned).collect();
        Licence { words, at: 0, allowed }
    }

    /// Whether it is an expression, and one that the list satisfies.
    fn read(mut self) -> bool {
        self.either() && self.at == self.words.len()
    }

    fn either(&mut self) -> bool {
        let mut is_allowed = self.both();
        while self.next_is("OR") {
            is_allowed |= self.both();
        }
        is_allowed
    }

    fn both(&mut self) -> bool {
        let mut is_allowed = self.one();
        while self.next_is("AND") {
            is_allowed &= self.one();
        }
        is_allowed
    }

    fn one(&mut self) -> bool {
        if self.next_is("(") {
            let is_allowed = self.either();
            return self.next_is(")") && is_allowed;
        }
        let mut name = self.words.get(self.at).cloned().unwrap_or_default();
        self.at += 1;
        if self.next_is("WITH") {
            name = format!("{name} WITH {}", self.words.get(self.at).map_or("", String::as_str));
            self.at += 1;
        }
        self.allowed.contains(&name)
    }

    fn next_is(&mut self, word: &str) -> bool {
        let is_next = self.words.get(self.at).is_some_and(|next| next == word);
        self.at += usize::from(is_next);
        is_next
    }
}

fn lint_problems(name: &str, manifest: &str) -> Vec<Problem> {
    let manifest: toml::Table = manifest.parse().expect("a manifest is TOML");
    let lints = manifest.get("lints").and_then(|lints| lints.get("workspace"));
    if lints.and_then(toml::Value::as_bool) == Some(true) {
        return Vec::new();
    }
    vec![format!("{name}: does not inherit the lints; add `[lints] workspace = true`")]
}

#[test]
fn every_licence_is_allowed() {
    report(&licence_problems(&packages(), &allowed_licences()));
}

#[test]
fn a_licence_outside_the_list_is_noticed() {
    let package = |licence: Option<&str>, is_ours: bool| Package {
        name: "sample".to_owned(),
        licence: licence.map(str::to_owned),
        is_ours,
        manifest_path: String::new(),
        dependencies: Vec::new(),
    };
    let allowed = BTreeSet::from(["MIT", "Zlib", "A WITH B"].map(str::to_owned));
    let problems = |licence, is_ours| licence_problems(&[package(licence, is_ours)], &allowed);
    for good in [
        "MIT",
        "GPL-3.0 OR MIT",
        "GPL-3.0/MIT",
        "GPL-3.0 or MIT",
        "(MIT OR X) AND Zlib",
        "A WITH B OR X",
    ] {
        report(&problems(Some(good), false));
    }
    for bad in ["GPL-3.0", "MIT AND X", "MIT AND (X OR Y)", "A", "MIT OR", "(MIT", "", "MIT X"] {
        expect_one(&problems(Some(bad), false), "is not in deny.toml");
    }
    expect_one(&problems(None, false), "no licence field");
    expect_one(&problems(Some("MIT"), true), "not `MIT OR Apache-2.0`");
}

#[test]
fn every_package_inherits_the_lints() {
    let mut problems = Vec::new();
    for package in packages().iter().filter(|package| package.is_ours) {
        let manifest = std::fs::read_to_string(&package.manifest_path);
        problems.extend(lint_problems(&package.name, &manifest.expect("a manifest can be read")));
    }
    report(&problems);
}

#[test]
fn a_package_with_lints_of_its_own_is_noticed() {
    report(&lint_problems("sample", "[lints]\nworkspace = true\n"));
    expect_one(&lint_problems("sample", "[lints.rust]\nunsafe_code = 'allow'\n"), "inherit");
    expect_one(&lint_problems("sample", "[package]\nname = 'sample'\n"), "inherit");
}
