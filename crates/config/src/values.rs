//! How texts become values.
//!
//! **Invariant:** a problem is the end of a sentence that begins with the text.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Reads a length of time with its unit.
///
/// # Errors
///
/// What is wrong with it.
pub fn duration(text: &str, range: RangeInclusive<Duration>) -> Result<Duration, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let no_number = || "is not a whole number with a unit: ms, s, m or h".to_owned();
    let number: u64 = number.parse().map_err(|_| no_number())?;
    let ms = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let ms = number.saturating_mul(ms.ok_or_else(no_number)?);
    let length = Duration::from_millis(ms);
    match range.contains(&length) {
        true => Ok(length),
        false => Err(format!("is not {:?} to {:?}", range.start(), range.end())),
    }
}

/// Reads a whole number.
///
/// # Errors
///
/// What is wrong with it.
pub fn number<T>(text: &str, range: RangeInclusive<T>) -> Result<T, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let problem = || format!("is not a whole number from {} to {}", range.start(), range.end());
    let number = text.parse().map_err(|_| problem())?;
    range.contains(&number).then_some(number).ok_or_else(problem)
}

/// Reads an address with a port.
///
/// # Errors
///
/// What is wrong with it.
pub fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "is not an IP address with a port")
}

/// Reads a part of a whole: a number from 0 to 1.
///
/// # Errors
///
/// What is wrong with it.
pub fn part(text: &str) -> Result<f64, &'static str> {
    let part: Option<f64> = text.parse().ok();
    part.filter(|part| (0.0..=1.0).contains(part)).ok_or("is not a number from 0 to 1")
}

/// Reads where a server is that is called in plain text: `http://HOST:PORT`.
///
/// # Errors
///
/// What is wrong with it.
pub fn server(text: &str) -> Result<String, &'static str> {
    let problem = "is not http://HOST:PORT; without a path, a user or TLS";
    let rest = text.strip_prefix("http://").ok_or(problem)?;
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (host, port) = rest.rsplit_once(':').ok_or(problem)?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let is_host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.chars().all(is_plain),
    };
    let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
    match is_host && is_port {
        true => Ok(format!("http://{host}:{port}")),
        false => Err(problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_has_a_unit() {
        let day = Duration::ZERO..=Duration::from_secs(86_400);
        let read = |text: &str| duration(text, day.clone());
        for (text, ms) in [("0s", 0), ("1500ms", 1_500), ("25s", 25_000), ("2m", 120_000)] {
            assert_eq!(read(text).unwrap(), Duration::from_millis(ms));
        }
        for bad in ["", "25", "s", "-1s", "1.5s", "25 s", "25S", "25d", "99999999999999999999s"] {
            assert!(read(bad).unwrap_err().contains("unit"), "{bad:?}");
        }
        assert!(read("25h").unwrap_err().contains("is not 0ns to 86400s"));
    }

    #[test]
    fn a_number_is_within_its_range() {
        assert_eq!(number("5", 1..=5), Ok(5));
        for bad in ["", "0", "6", "-1", "1.0", "99999999999"] {
            assert!(number(bad, 1..=5).unwrap_err().contains("from 1 to 5"), "{bad:?}");
        }
    }

    #[test]
    fn a_part_is_within_the_whole() {
        for (text, value) in [("0", 0.0), ("0.05", 0.05), ("1", 1.0)] {
            assert_eq!(part(text), Ok(value));
        }
        for bad in ["", "-0.1", "1.01", "NaN", "inf", "5%"] {
            assert!(part(bad).unwrap_err().contains("from 0 to 1"), "{bad:?}");
        }
    }

    #[test]
    fn a_server_is_a_host_and_a_port() {
        for good in ["http://collector:4317", "http://127.0.0.1:1", "http://[::1]:4317"] {
            assert_eq!(server(good).as_deref(), Ok(good));
            assert_eq!(server(&format!("{good}/")).as_deref(), Ok(good));
        }
        let bad = [
            "collector:4317",
            "https://collector:4317",
            "http://collector",
            "http://:4317",
            "http://collector:0",
            "http://collector:4317/v1/traces",
            "http://user:secret@collector:4317",
            "http://[nowhere]:4317",
        ];
        for bad in bad {
            assert!(server(bad).unwrap_err().contains("http://HOST:PORT"), "{bad}");
        }
    }
}
