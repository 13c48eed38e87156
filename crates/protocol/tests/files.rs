//! Files that are made from others and kept in the tree.
//!
//! **Invariant:** without `HANDFOOT_REWRITE` nothing is written.

use std::path::{Path, PathBuf};

/// Set to anything but nothing, it makes these tests write what they would compare.
const REWRITE: &str = "HANDFOOT_REWRITE";

/// The folder of this package.
pub(crate) fn package() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the contract.
pub(crate) fn contract() -> PathBuf {
    package().join("../../proto")
}

/// Compares a kept file with what it must hold, or writes it.
///
/// # Panics
///
/// If it differs and is not to be written.
pub(crate) fn compare(path: &Path, made: &[u8]) {
    let kept = std::fs::read(path).unwrap_or_default();
    if kept == made {
        return;
    }
    if std::env::var_os(REWRITE).is_some_and(|value| !value.is_empty()) {
        std::fs::write(path, made).unwrap();
        return;
    }
    panic!(
        "{} is not what the proto files give. To make it anew:\n  \
         {REWRITE}=1 cargo test -p handfoot-protocol",
        path.display()
    );
}

/// The proto files, from the root of the contract, in order.
pub(crate) fn protos() -> Vec<String> {
    let root = contract();
    let mut found = Vec::new();
    for folder in ["handfoot/v1", "handfoot/state/v1"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if Path::new(&name).extension().is_some_and(|extension| extension == "proto") {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    found.sort();
    found
}

/// What the proto files say, comments included.
pub(crate) fn descriptors() -> prost_types::FileDescriptorSet {
    let mut compiler = protox::Compiler::new([contract()]).unwrap();
    compiler.include_source_info(true).include_imports(true);
    compiler.open_files(protos()).unwrap();
    compiler.file_descriptor_set()
}
