//! The files of the tree, as text.
//!
//! **Invariant:** build output and the history are never read; the order of files is that of their
//! paths, the same on every machine.

use std::fs;
use std::path::{Path, PathBuf};

/// What version control would not know, wherever it stands.
const SKIPPED: [&str; 2] = [".git", "target"];

/// A text file of the tree.
#[derive(Clone, Debug)]
pub(super) struct TextFile {
    /// Where it is, from the root, with `/` between folders.
    pub(super) path: String,
    /// What it says.
    pub(super) text: String,
}

impl TextFile {
    /// A file that is only in a test's mind.
    pub(super) fn sample(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    /// The part of its name after the last dot, or nothing.
    pub(super) fn extension(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// Its lines with their numbers, from 1.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }
}

/// The folder that holds the workspace.
pub(super) fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the package stands one folder below the root").to_owned()
}

/// Every text file of the tree, sorted by path.
pub(super) fn files() -> Vec<TextFile> {
    let root = root();
    let mut found = Vec::new();
    collect(&root, "", &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// One file that must be there.
pub(super) fn file(path: &str) -> TextFile {
    match fs::read_to_string(root().join(path)) {
        Ok(text) => TextFile { path: path.to_owned(), text },
        Err(error) => panic!("{path}: {error}"),
    }
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<TextFile>) {
    let entries = fs::read_dir(folder).expect("a folder of the tree can be listed");
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let Ok(kind) = entry.file_type() else { continue };
        // Beside the main working copy the history is a file that names its place.
        if SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if kind.is_dir() {
            collect(&entry.path(), &format!("{path}/"), found);
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            // What is not UTF-8 is no text, and none of these checks is about it.
            found.push(TextFile { path, text });
        }
    }
}

#[test]
fn the_tree_is_read_and_build_output_is_not() {
    let files = files();
    for needed in ["Cargo.toml", "crates/cards/src/lib.rs", "tests/checks/tree.rs", ".ci/run"] {
        assert!(files.iter().any(|file| file.path == needed), "{needed} was not read");
    }
    assert!(!files.iter().any(|file| file.path.split('/').any(|part| SKIPPED.contains(&part))));
}
