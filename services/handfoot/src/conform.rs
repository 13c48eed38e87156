//! Conformance cases: text files that say a position, what is done in it and what must come of it.
//!
//! `tests/conformance/README.md` describes the format for whoever writes one.
//!
//! **Invariant:** a file can say anything and nothing here panics; what is wrong with it is told
//! with file and line. Cases are played through the engine's public face only.

mod expect;
mod flip;
mod parse;
mod run;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use handfoot_engine::{GameRecord, verify};
use handfoot_rules::Choice;

/// Endings of the files that are read in a folder.
const CASE_FILE: &str = "case";
const RECORD_FILE: &str = "record";

/// How the first line of a record begins.
const RECORD_START: &str = "handfoot record ";

/// The largest file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// What running conformance files found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files that were read, in order.
    pub files: Vec<PathBuf>,
    /// What was wrong with files, so that a case could not even be run.
    pub problems: Vec<Problem>,
    /// Every case that was run, in order.
    pub cases: Vec<CaseResult>,
}

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 if the file as a whole is meant.
    pub line: usize,
    /// What is wrong and what was expected.
    pub what: String,
}

/// What came of one case. A record is a case of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseResult {
    /// Its file.
    pub path: PathBuf,
    /// The line in which it begins, from 1.
    pub line: usize,
    /// Its name.
    pub name: String,
    /// Clauses of the rule book that it shows.
    pub rules: Vec<String>,
    /// Where it comes from.
    pub sources: Vec<String>,
    /// Things that were compared, before the first failure if there is one.
    pub n_checks: usize,
    /// Choices of which it shows that flipping them changes what comes of it.
    pub flipped: Vec<Choice>,
    /// The first thing that was not as expected; none: it passed.
    pub failure: Option<Failure>,
}

/// The first thing in a case that was not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The line, from 1.
    pub line: usize,
    /// What was expected and what was found.
    pub what: String,
}

impl Report {
    /// Whether something was read and all of it is as it should be.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        !self.cases.is_empty() && self.problems.is_empty() && self.n_failed() == 0
    }

    /// Cases that passed.
    #[must_use]
    pub fn n_passed(&self) -> usize {
        self.cases.len() - self.n_failed()
    }

    /// Cases that failed.
    #[must_use]
    pub fn n_failed(&self) -> usize {
        self.cases.iter().filter(|case| case.failure.is_some()).count()
    }

    /// Things that were compared in all cases.
    #[must_use]
    pub fn n_checks(&self) -> usize {
        self.cases.iter().map(|case| case.n_checks).sum()
    }

    fn problem(&mut self, path: &Path, line: usize, what: String) {
        self.problems.push(Problem { path: path.to_owned(), line, what });
    }
}

impl fmt::Display for Report {
    /// Everything that is wrong, a line each, then the counts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(f, "{}:{}: {}", problem.path.display(), problem.line, problem.what)?;
        }
        for case in &self.cases {
            if let Some(failure) = &case.failure {
                let (path, name) = (case.path.display(), &case.name);
                writeln!(f, "{path}:{}: {name}: {}", failure.line, failure.what)?;
            }
        }
        let (files, passed, failed) = (self.files.len(), self.n_passed(), self.n_failed());
        let (checks, problems) = (self.n_checks(), self.problems.len());
        write!(
            f,
            "{files} files: {passed} cases passed, {failed} failed, {checks} checks, {problems} problems with files"
        )
    }
}

/// Runs every case of these files and folders, folders with all that is in them.
///
/// In a folder, files ending in `.case` or `.record` are read; a file that is named is read
/// whatever it is called.
#[must_use]
pub fn run_paths(paths: &[PathBuf]) -> Report {
    let mut report = Report::default();
    let mut files = Vec::new();
    for path in paths {
        collect(path, Named::ByCaller, &mut files, &mut report);
    }
    for path in files {
        match read(&path) {
            Ok(text) => {
                run_into(&path, &text, &mut report);
                report.files.push(path);
            }
            Err(what) => report.problem(&path, 0, what),
        }
    }
    report
}

/// Runs the cases of a text as if it were a file of this name.
#[must_use]
pub fn run_text(path: &Path, text: &str) -> Report {
    let mut report = Report::default();
    run_into(path, text, &mut report);
    report.files.push(path.to_owned());
    report
}

fn run_into(path: &Path, text: &str, report: &mut Report) {
    if text.starts_with(RECORD_START) {
        report.cases.push(run_record(path, text));
        return;
    }
    let (cases, problems) = parse::cases(text);
    for (line, what) in problems {
        report.problem(path, line, what);
    }
    for case in &cases {
        let run::Outcome { n_checks, flipped, failure } = run::case(case);
        report.cases.push(CaseResult {
            path: path.to_owned(),
            line: case.line,
            name: case.name.clone(),
            rules: case.rules.clone(),
            sources: case.sources.clone(),
            n_checks,
            flipped,
            failure,
        });
    }
}

fn run_record(path: &Path, text: &str) -> CaseResult {
    let verified = GameRecord::parse(text).and_then(|record| verify(&record));
    let name = match &verified {
        Ok(verified) => format!("record of {:?}", verified.table_name),
        Err(_) => "record".to_owned(),
    };
    let n_checks = verified
        .as_ref()
        .map_or(0, |verified| verified.rounds.iter().map(|round| round.n_actions + 1).sum());
    let failure =
        verified.err().map(|error| Failure { line: error.line, what: error.problem.to_string() });
    CaseResult {
        path: path.to_owned(),
        line: 1,
        name,
        rules: Vec::new(),
        sources: Vec::new(),
        n_checks,
        flipped: Vec::new(),
        failure,
    }
}

/// How a path came to be looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    ByCaller,
    ByFolder,
}

fn collect(path: &Path, named: Named, files: &mut Vec<PathBuf>, report: &mut Report) {
    let kind = match fs::symlink_metadata(path) {
        Ok(found) if named == Named::ByCaller => fs::metadata(path).unwrap_or(found),
        Ok(found) => found,
        Err(error) => return report.problem(path, 0, format!("cannot be read: {error}")),
    };
    if kind.is_dir() {
        match fs::read_dir(path) {
            Ok(entries) => {
                let mut inside: Vec<PathBuf> =
                    entries.flatten().map(|found| found.path()).collect();
                inside.sort();
                for path in inside {
                    collect(&path, Named::ByFolder, files, report);
                }
            }
            Err(error) => report.problem(path, 0, format!("cannot be read: {error}")),
        }
        return;
    }
    let ending = path.extension().and_then(|ending| ending.to_str());
    if named == Named::ByCaller || matches!(ending, Some(CASE_FILE | RECORD_FILE)) {
        files.push(path.to_owned());
    }
}

fn read(path: &Path) -> Result<String, String> {
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let found = fs::metadata(path).map_err(unreadable)?;
    // A pipe would be waited for, a device read for ever.
    if !found.is_file() {
        return Err("is no ordinary file".to_owned());
    }
    if found.len() > FILE_BYTES_MAX {
        return Err(format!("{} bytes, at most {FILE_BYTES_MAX}", found.len()));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|_| "is no UTF-8 text".to_owned())
}
