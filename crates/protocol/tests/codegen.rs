//! The generated code is what the proto files give.
//!
//! **Invariant:** no protoc and no network: the compiler is a library.

use prost::Message;

use crate::files::{compare, descriptors, package};

#[test]
fn the_generated_code_is_that_of_the_proto_files() {
    let folder = tempfile();
    let mut set = descriptors();
    tonic_prost_build::configure()
        .build_transport(false)
        // The largest item of the stream by far; the others stay small.
        .boxed(".handfoot.v1.WatchTableResponse.item.snapshot")
        .emit_rerun_if_changed(false)
        .out_dir(&folder)
        .compile_fds(set.clone())
        .unwrap();
    for package_name in ["handfoot.v1", "handfoot.state.v1"] {
        let name = format!("{package_name}.rs");
        let made = std::fs::read_to_string(folder.join(&name)).unwrap();
        assert!(made.lines().take(5).any(|line| line.contains("@generated")), "{name}");
        compare(&package().join("src/generated").join(&name), made.as_bytes());
    }
    std::fs::remove_dir_all(&folder).unwrap();
    // What reflection serves needs no comments.
    for file in &mut set.file {
        file.source_code_info = None;
    }
    compare(&package().join("src/generated/descriptors.binpb"), &set.encode_to_vec());
}

/// A folder of this process alone, under the build output.
fn tempfile() -> std::path::PathBuf {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("codegen-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
