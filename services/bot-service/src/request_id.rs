//! The id under which a decision is played.
//!
//! **Invariant:** the same decision has the same id, whoever makes it: two workers that play one
//! turn cannot both succeed.

use handfoot_client::Known;
use uuid::Uuid;

/// The name space of these ids.
const NAMESPACE: Uuid = Uuid::from_u128(0x6f1d_0c3e_52a8_4b67_9c1a_b1d4_77e0_5a93);

/// The id of the decision that the viewer's seat owes: UUIDv5 of table, version and seat.
///
/// The version is the one that last changed the game: changes outside the game leave a decision
/// what it is.
#[must_use]
pub fn request_id(known: &Known) -> Uuid {
    let seat = known.view.seat.map_or(0, handfoot_view::Seat::number);
    let name = format!("{}/{}/{seat}", known.table_id, known.stamp.game_version);
    Uuid::new_v5(&NAMESPACE, name.as_bytes())
}
