//! `handfoot conform`.
//!
//! **Invariant:** what a case says is for its own tests; here it is how results are told.

use crate::kit::{file, path, run};

#[test]
fn a_record_is_a_case() {
    let kept = path("conform.record");
    assert_eq!(run(&format!("demo --seed 3 --record {kept}")).code, 0);
    let text = run(&format!("conform {kept}")).ok();
    assert!(text.contains("  ok      record of ") && text.contains("1 passed, 0 failed"), "{text}");
    let report = run(&format!("conform --json {kept}")).json();
    assert_eq!([&report["passed"], &report["failed"]], [1, 0]);
    assert_eq!(report["cases"][0]["failure"], serde_json::Value::Null);

    let record = std::fs::read_to_string(&kept).unwrap();
    let edited = file("conform-edited.record", &record.replacen(" draw\n", " discard KC\n", 1));
    let ran = run(&format!("conform {kept} {edited}"));
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    assert!(
        ran.out.contains("  FAILED  ") && ran.out.contains("1 passed, 1 failed"),
        "{}",
        ran.out
    );
}

#[test]
fn a_file_that_is_no_case_ends_with_65() {
    let nonsense = file("nonsense.case", "this is no case\n");
    let ran = run(&format!("conform {nonsense}"));
    assert_eq!(ran.code, 65);
    assert!(ran.out.contains(&format!("{nonsense}:1: ")), "{}", ran.out);
}

#[test]
fn a_folder_without_cases_ends_with_65() {
    let folder = path("no-cases");
    std::fs::create_dir_all(&folder).unwrap();
    run(&format!("conform {folder}")).fails(65, &["no case was found"]);
}

/// What has no end, or would be waited for, is not read.
#[test]
#[cfg(unix)]
fn a_device_is_no_case_file() {
    let ran = run("conform /dev/zero");
    assert_eq!(ran.code, 65);
    assert!(ran.out.contains("no ordinary file"), "{}{}", ran.out, ran.err);
}
