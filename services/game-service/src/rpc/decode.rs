//! Fields of requests that are no cards, and passes as the table service needs them.
//!
//! **Invariant:** total: every field is a value within its limits or a typed refusal.

use std::time::Duration;

use handfoot_engine::Viewer;
use handfoot_store::{Chain, Lease, RequestId, TableId, Tenants, Token};
use handfoot_view::Seat;

use crate::auth::{BotPass, LeaseId, SeatPass, TenantScope};
use crate::caller::{HeldLease, SeatCaller, small_number_of};
use crate::error::{Answer, ApiError, FieldProblem, field};
use crate::limits::{LEVELS_MAX, NAME_CHARS_MAX};

/// The caller behind a verified token.
pub(super) fn caller(pass: &SeatPass) -> Answer<SeatCaller> {
    let seat = match pass.viewer() {
        Viewer::Seat(seat) => Some(seat),
        Viewer::Spectator => None,
    };
    let lease = match pass.lease() {
        None => None,
        Some(id) => Some(read_lease_id(id.as_str()).ok_or(ApiError::LeaseLost)?.1),
    };
    Ok(SeatCaller {
        tenant: pass.tenant().clone(),
        table: pass.table().clone(),
        seat,
        generation: pass.generation().0,
        lease,
    })
}

/// Whose tables a worker may play at.
pub(super) fn tenants(pass: &BotPass) -> Tenants {
    match pass.tenants() {
        TenantScope::Every => Tenants::All,
        TenantScope::One(tenant) => Tenants::One(tenant.clone()),
    }
}

/// The id of a lease: the claim, and for how long it is renewed.
pub(super) fn lease_id(table: &TableId, seat: Seat, held: HeldLease) -> Option<LeaseId> {
    let (seat, token, ms) = (small_number_of(seat), held.token.0, held.length.as_millis());
    format!("{table}.{seat}.{token}.{ms}").parse().ok()
}

/// Reads the id of a lease.
pub(super) fn read_lease_id(text: &str) -> Option<(Lease, HeldLease)> {
    let mut parts = text.split('.');
    let table: TableId = parts.next()?.parse().ok()?;
    let seat: u8 = parts.next()?.parse().ok()?;
    let token = Token(parts.next()?.parse().ok()?);
    let length = Duration::from_millis(parts.next()?.parse().ok()?);
    match parts.next() {
        Some(_) => None,
        None => Some((Lease { table, seat, token }, HeldLease { token, length })),
    }
}

/// A table's id; one that cannot be is not there.
pub(super) fn table_id(text: &str) -> Answer<TableId> {
    text.parse().map_err(|_| ApiError::TableNotFound)
}

/// A UUID.
pub(super) fn request_id(text: &str) -> Answer<RequestId> {
    if text.is_empty() {
        return Err(field("request_id", FieldProblem::Missing));
    }
    uuid(text).map(RequestId).ok_or(field("request_id", FieldProblem::NotUuid))
}

fn uuid(text: &str) -> Option<[u8; 16]> {
    let bytes = text.as_bytes();
    let is_hyphen = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    if bytes.len() != 36 || !(0..36).all(|at| (bytes[at] == b'-') == is_hyphen(at)) {
        return None;
    }
    let mut digits = text.chars().filter(|c| *c != '-').map(|c| c.to_digit(16));
    let mut id = [0; 16];
    for byte in &mut id {
        let (high, low) = (digits.next()??, digits.next()??);
        *byte = u8::try_from(high << 4 | low).ok()?;
    }
    Some(id)
}

/// A chain value.
pub(super) fn chain(bytes: &[u8]) -> Answer<Chain> {
    let chain = <[u8; 16]>::try_from(bytes);
    chain.map(Chain).map_err(|_| field("after_chain", FieldProblem::NotChain))
}

/// A text of so many characters that can be shown.
pub(super) fn text(name: &'static str, text: &str, least: usize, most: usize) -> Answer<String> {
    let length = text.chars().take(most + 1).count();
    if !(least..=most).contains(&length) {
        return Err(field(name, FieldProblem::Length { least, most }));
    }
    match text.chars().any(char::is_control) {
        true => Err(field(name, FieldProblem::Character)),
        false => Ok(text.to_owned()),
    }
}

/// Names of levels.
pub(super) fn levels(name: &'static str, levels: &[String], least: usize) -> Answer<Vec<String>> {
    if !(least..=LEVELS_MAX).contains(&levels.len()) {
        return Err(field(name, FieldProblem::Entries { least, most: LEVELS_MAX }));
    }
    levels.iter().map(|level| text(name, level, 1, NAME_CHARS_MAX)).collect()
}

/// A number within limits.
pub(super) fn within(name: &'static str, number: u32, least: u32, most: u32) -> Answer<u32> {
    match (least..=most).contains(&number) {
        true => Ok(number),
        false => {
            let (least, most) = (u64::from(least), u64::from(most));
            Err(field(name, FieldProblem::OutOfRange { least, most }))
        }
    }
}

/// A value of an enum that the contract has.
pub(super) fn known<E: TryFrom<i32>>(name: &'static str, number: i32) -> Answer<E> {
    E::try_from(number).map_err(|_| field(name, FieldProblem::UnknownNumber))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_id_is_a_uuid() {
        let good = "00112233-4455-6677-8899-aabbccddeeff";
        let read = request_id(good).unwrap();
        assert_eq!(read, request_id(&good.to_uppercase()).unwrap());
        assert_eq!(read.0[..3], [0x00, 0x11, 0x22]);
        let long = format!("{good}0");
        for bad in [
            "",
            "x",
            "00112233445566778899aabbccddeeff",
            &long,
            "00112233-4455-6677-8899-aabbccddeefg",
            "0011223-34455-6677-8899-aabbccddeeff",
            "00112233-4455-6677-8899-aabbccddee\u{e9}",
        ] {
            assert!(request_id(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_lease_id_is_read_as_it_was_written() {
        let table: TableId = "t-1".parse().unwrap();
        let held = HeldLease { token: Token(77), length: Duration::from_secs(10) };
        let id = lease_id(&table, Seat::from_number(3).unwrap(), held).unwrap();
        let (lease, read) = read_lease_id(id.as_str()).unwrap();
        assert_eq!((lease.table, lease.seat, lease.token), (table, 3, Token(77)));
        assert_eq!(read, held);
        for bad in ["", "t", "t.1", "t.1.2", "t.1.2.3.4", "t.x.2.3", "T.1.2.3"] {
            assert!(read_lease_id(bad).is_none(), "{bad}");
        }
    }
}
