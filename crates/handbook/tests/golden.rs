//! The handbook of every preset as it is read, kept in `golden`.
//!
//! **Invariant:** `HANDFOOT_REWRITE=1` writes the files anew; nothing else does.

use std::path::PathBuf;

use handfoot_handbook::{Handbook, Subject};
use handfoot_rules::Preset;

/// The handbook of a preset at its usual table.
pub(crate) fn handbook(preset: &Preset) -> Handbook {
    let table = preset.draft(None, None).unwrap();
    Handbook::of(&Subject::preset(preset, table).unwrap())
}

#[test]
fn every_preset_reads_as_it_did() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden");
    let rewrite = std::env::var_os("HANDFOOT_REWRITE").is_some();
    let mut stale = Vec::new();
    for preset in Preset::all() {
        let text = handbook(preset).to_text();
        let path = folder.join(format!("{}.txt", preset.id));
        if rewrite {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &text).unwrap();
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(text.as_str()) {
            stale.push(preset.id.as_str());
        }
    }
    assert!(stale.is_empty(), "changed: {stale:?}; look at the change with HANDFOOT_REWRITE=1");
}
