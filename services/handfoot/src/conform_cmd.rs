//! `handfoot conform`: do the cases of these files and folders hold?
//!
//! **Invariant:** prints what `handfoot::conform` found; it judges nothing.

use std::path::Path;

use handfoot::conform::{CaseResult, Failure, Problem, Report, run_paths};
use serde::Serialize;

use crate::cli::ConformArgs;
use crate::exit::{Exit, Stop, failed};
use crate::names::counted;
use crate::out::Out;

/// Runs the cases and prints what came of them.
pub(crate) fn run(args: &ConformArgs) -> Result<Exit, Stop> {
    if let Some(missing) = args.paths.iter().find(|path| !path.exists()) {
        let what = format!("{} does not exist", missing.display());
        return Err(failed(Exit::NoInput, what, "the path of a case file, or of a folder of them"));
    }
    let report = run_paths(&args.paths);
    let mut out = Out::stdout();
    match args.json {
        true => out.json(&ConformReport::of(&report))?,
        false => print(&mut out, &report)?,
    }
    if report.n_failed() > 0 {
        return Ok(Exit::CheckFailed);
    }
    if report.problems.is_empty() && report.cases.is_empty() {
        let next = "the path of a case file, or of a folder that holds files ending in .case";
        return Err(failed(Exit::BadInput, "no case was found", next));
    }
    Ok(match report.problems.is_empty() {
        true => Exit::Ok,
        false => Exit::BadInput,
    })
}

/// Every case below its file, then what is wrong with files, then the counts.
fn print(out: &mut Out, report: &Report) -> Result<(), Stop> {
    let mut file: Option<&Path> = None;
    for case in &report.cases {
        if file != Some(&case.path) {
            file = Some(&case.path);
            out.headline(&case.path.display().to_string())?;
        }
        match &case.failure {
            None => out.line(format!("  ok      {}", case.name))?,
            Some(failure) => {
                out.line(format!("  FAILED  {}", case.name))?;
                out.line(format!("          line {}: {}", failure.line, failure.what))?;
            }
        }
    }
    for Problem { path, line, what } in &report.problems {
        out.line(format!("{}:{line}: {what}", path.display()))?;
    }
    out.line(format!(
        "{} in {}: {} passed, {} failed, {}; {} with files",
        counted(report.cases.len(), "case"),
        counted(report.files.len(), "file"),
        report.n_passed(),
        report.n_failed(),
        counted(report.n_checks(), "check"),
        counted(report.problems.len(), "problem"),
    ))
}

/// What `conform --json` prints.
#[derive(Serialize)]
struct ConformReport<'a> {
    passed: usize,
    failed: usize,
    checks: usize,
    files: Vec<String>,
    problems: Vec<ProblemReport<'a>>,
    cases: Vec<CaseReport<'a>>,
}

#[derive(Serialize)]
struct ProblemReport<'a> {
    file: String,
    /// From 1; 0 if the file as a whole is meant.
    line: usize,
    what: &'a str,
}

#[derive(Serialize)]
struct CaseReport<'a> {
    file: String,
    line: usize,
    name: &'a str,
    rules: &'a [String],
    sources: &'a [String],
    checks: usize,
    /// None if it passed.
    failure: Option<FailureReport<'a>>,
}

#[derive(Serialize)]
struct FailureReport<'a> {
    line: usize,
    what: &'a str,
}

impl ConformReport<'_> {
    fn of(report: &Report) -> ConformReport<'_> {
        ConformReport {
            passed: report.n_passed(),
            failed: report.n_failed(),
            checks: report.n_checks(),
            files: report.files.iter().map(|path| path.display().to_string()).collect(),
            problems: report.problems.iter().map(ProblemReport::of).collect(),
            cases: report.cases.iter().map(CaseReport::of).collect(),
        }
    }
}

impl ProblemReport<'_> {
    fn of(Problem { path, line, what }: &Problem) -> ProblemReport<'_> {
        ProblemReport { file: path.display().to_string(), line: *line, what }
    }
}

impl CaseReport<'_> {
    fn of(case: &CaseResult) -> CaseReport<'_> {
        CaseReport {
            file: case.path.display().to_string(),
            line: case.line,
            name: &case.name,
            rules: &case.rules,
            sources: &case.sources,
            checks: case.n_checks,
            failure: case
                .failure
                .as_ref()
                .map(|Failure { line, what }| FailureReport { line: *line, what }),
        }
    }
}
