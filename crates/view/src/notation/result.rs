//! How a round ended, as text, and bytes as text.
//!
//! **Invariant:** small pieces that positions, records and events share.

use crate::{RoundEnd, Seat};

/// How a round ended: `went_out 3` or `stock_ran_out 3`.
#[must_use]
pub fn end_text(how: RoundEnd) -> String {
    format!("{} {}", how.name(), how.seat())
}

/// Reads what [`end_text`] writes, given its two words; nothing if they say something else.
#[must_use]
pub fn parse_end(how: &str, seat: &str) -> Option<RoundEnd> {
    let seat = seat.parse().ok().and_then(Seat::from_number)?;
    [RoundEnd::WentOut(seat), RoundEnd::StockRanOut(seat)].into_iter().find(|end| end.name() == how)
}

/// Bytes as 64 hexadecimal digits, small letters.
#[must_use]
pub fn hex_text(bytes: &[u8; 32]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads 64 hexadecimal digits; nothing if they are not that.
#[must_use]
pub fn parse_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.bytes().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().as_chunks::<2>().0) {
        *byte = std::str::from_utf8(digits).ok().and_then(|d| u8::from_str_radix(d, 16).ok())?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        let bytes: [u8; 32] = std::array::from_fn(|n| u8::try_from(n * 7).unwrap());
        assert_eq!(parse_hex(&hex_text(&bytes)), Some(bytes));
        assert_eq!(parse_hex("00"), None);
        assert_eq!(parse_hex(&"+1".repeat(32)), None);
    }

    #[test]
    fn ends_come_back() {
        let seat = Seat::from_number(3).unwrap();
        for how in [RoundEnd::WentOut(seat), RoundEnd::StockRanOut(seat)] {
            let text = end_text(how);
            let (word, seat) = text.split_once(' ').unwrap();
            assert_eq!(parse_end(word, seat), Some(how));
        }
        assert_eq!(parse_end("went_out", "13"), None);
    }
}
