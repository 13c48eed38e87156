//! What a table's owner chose beside the rules, in one byte, and what only that choice needs.
//!
//! **Invariant:** the usual choices are written as they were before there were others.

use handfoot_view::{Lays, PublicTable, TableOptions, UNDOS_MAX, Undo};

use super::SnapshotError;
use super::bytes::{Reader, Writer};

type Read<T> = Result<T, SnapshotError>;

/// The bits of the byte that say how lays are undone.
const UNDO_BITS: u8 = 0b11;

/// Set if lays are concealed.
const CONCEALED: u8 = 1 << 4;

/// Set if a count of undos follows.
const UNDONE: u8 = 1 << 5;

/// Set if the melds of finished rounds stand at the end.
const MELDS: u8 = 1 << 6;

const ALL: u8 = UNDO_BITS | CONCEALED | UNDONE | MELDS;

/// Whether the melds of finished rounds are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Melds {
    /// They are.
    Kept,
    /// They are not, or no round is over.
    None,
}

/// What the byte says.
pub(super) struct Options {
    pub(super) options: TableOptions,
    /// Undos of the turn.
    pub(super) undos: u8,
    pub(super) melds: Melds,
}

pub(super) fn write(writer: &mut Writer, table: &PublicTable, melds: Melds) {
    let undo = match table.options.undo {
        Undo::Off => 0,
        Undo::OwnTurn => 1,
        Undo::ByConsent => 2,
    };
    let lays = match table.options.lays {
        Lays::Open => 0,
        Lays::Concealed => CONCEALED,
    };
    let undone = if table.undos > 0 { UNDONE } else { 0 };
    let melds = match melds {
        Melds::Kept => MELDS,
        Melds::None => 0,
    };
    writer.byte(undo | lays | undone | melds);
    if undone != 0 {
        writer.byte(table.undos);
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> Read<Options> {
    let bits = reader.byte("a table option")?;
    let undo = match bits & UNDO_BITS {
        0 => Undo::Off,
        1 => Undo::OwnTurn,
        2 => Undo::ByConsent,
        _ => return Err(reader.wrong("a table option")),
    };
    if bits & !ALL != 0 {
        return Err(reader.wrong("a table option"));
    }
    let lays = if bits & CONCEALED == 0 { Lays::Open } else { Lays::Concealed };
    let undos = if bits & UNDONE == 0 { 0 } else { reader.byte("a number of undos")? };
    let melds = if bits & MELDS == 0 { Melds::None } else { Melds::Kept };
    match undos <= UNDOS_MAX {
        true => Ok(Options { options: TableOptions { undo, lays }, undos, melds }),
        false => Err(reader.wrong("a number of undos")),
    }
}
