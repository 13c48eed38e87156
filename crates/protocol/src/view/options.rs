//! What a table's owner chose beside the rules, both ways, as far as the game goes.
//!
//! **Invariant:** what a choice left open is set to its usual value here and nowhere else.

use handfoot_view::{Lays, TableOptions, Undo};

use crate::decode::{At, DecodeError, pairs};
use crate::v1;

pairs! {
    undo / read_undo: Undo = UndoOption {
        Off = Off,
        OwnTurn = OwnTurn,
        ByConsent = ByConsent,
    }
    lays / read_lays: Lays = LaysOption { Open = Open, Concealed = Concealed }
}

/// The options as they are sent; pacing and seating are the service's to fill in.
#[must_use]
pub fn encode_options(options: TableOptions) -> v1::TableOptions {
    let (undo, lays) = (undo(options.undo), lays(options.lays));
    v1::TableOptions { undo, lays, ..v1::TableOptions::default() }
}

/// Options that a server sent.
pub(super) fn read(
    options: Option<&v1::TableOptions>,
    at: At<'_>,
) -> Result<TableOptions, DecodeError> {
    let options = at.set(options)?;
    let undo = read_undo(options.undo, at.field("undo"))?;
    Ok(TableOptions { undo, lays: lays_or_usual(options.lays, at.field("lays"))? })
}

/// The options of a CreateTable: what is left open is set to its usual value.
///
/// # Errors
///
/// [`DecodeError`].
pub fn decode_options(options: Option<&v1::TableOptions>) -> Result<TableOptions, DecodeError> {
    let root = At::Root;
    let at = root.field("options");
    let Some(given) = options else { return Ok(TableOptions::default()) };
    let undo = match at.field("undo").known::<v1::UndoOption>(given.undo)? {
        v1::UndoOption::Unspecified => Undo::default(),
        v1::UndoOption::Off | v1::UndoOption::OwnTurn | v1::UndoOption::ByConsent => {
            read_undo(given.undo, at.field("undo"))?
        }
    };
    Ok(TableOptions { undo, lays: lays_or_usual(given.lays, at.field("lays"))? })
}

/// A server that knows no choice here sends none.
fn lays_or_usual(number: i32, at: At<'_>) -> Result<Lays, DecodeError> {
    match at.known::<v1::LaysOption>(number)? {
        v1::LaysOption::Unspecified => Ok(Lays::default()),
        v1::LaysOption::Open | v1::LaysOption::Concealed => read_lays(number, at),
    }
}
