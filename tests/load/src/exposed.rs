//! What a process shows at its metrics port, as Prometheus would read it.
//!
//! **Invariant:** a number that is not shown is an error or nothing, never made up.

use std::collections::BTreeMap;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::trouble::Trouble;

/// Every sample that was shown: its name with its labels, and its value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exposed(BTreeMap<String, f64>);

impl Exposed {
    /// Reads what is shown at `HOST:PORT`.
    ///
    /// # Errors
    ///
    /// `System`, or `Wrong` if that is no answer.
    pub(crate) async fn read(address: &str) -> Result<Exposed, Trouble> {
        let doing = "reading metrics";
        let mut stream = TcpStream::connect(address).await.map_err(Trouble::system(doing))?;
        let request = b"GET /metrics HTTP/1.1\r\nhost: load\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.map_err(Trouble::system(doing))?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.map_err(Trouble::system(doing))?;
        match answer.split_once("\r\n\r\n") {
            Some((head, text)) if head.starts_with("HTTP/1.1 200") => Ok(Exposed::of(text)),
            _ => Err(Trouble::wrong("metrics are not shown")),
        }
    }

    fn of(text: &str) -> Exposed {
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        let pair = |line: &str| {
            let (name, value) = line.rsplit_once(' ')?;
            Some((name.to_owned(), value.parse().ok()?))
        };
        Exposed(samples.filter_map(pair).collect())
    }

    /// The sum of all samples of a name whose labels hold a text, which may be empty.
    pub(crate) fn sum(&self, name: &str, label: &str) -> f64 {
        let samples = self.0.iter().filter(|(sample, _)| {
            let rest = sample.strip_prefix(name);
            let labels = rest.filter(|rest| rest.is_empty() || rest.starts_with('{'));
            labels.is_some_and(|labels| labels.contains(label))
        });
        samples.map(|(_, value)| value).sum()
    }

    /// The bound within which a part of what a histogram has seen since an earlier reading lies;
    /// none if it has seen nothing, or the bound is none.
    pub(crate) fn within(&self, since: &Exposed, name: &str, part: f64) -> Option<f64> {
        let prefix = format!("{name}_bucket{{le=\"");
        let mut buckets: Vec<(f64, f64)> = Vec::new();
        for (sample, value) in self.0.range(prefix.clone()..) {
            let Some(bound) = sample.strip_prefix(&prefix) else { break };
            let bound = bound.trim_end_matches("\"}").parse().unwrap_or(f64::INFINITY);
            let before = since.0.get(sample).copied().unwrap_or(0.0);
            buckets.push((bound, value - before));
        }
        buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
        let all = buckets.last().map_or(0.0, |(_, count)| *count);
        let found = buckets.iter().find(|(_, count)| *count >= all * part);
        found.filter(|(bound, _)| all > 0.0 && bound.is_finite()).map(|(bound, _)| *bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_summed_by_label_and_histograms_compared() {
        let text = "# HELP a b\na{x=\"1\"} 2\na{x=\"2\"} 3\nab 7\n\
                    h_bucket{le=\"0.5\"} 10\nh_bucket{le=\"5\"} 90\nh_bucket{le=\"+Inf\"} 100\n";
        let now = Exposed::of(text);
        assert_eq!((now.sum("a", ""), now.sum("a", "x=\"2\""), now.sum("ab", "")), (5.0, 3.0, 7.0));
        let none = Exposed::default();
        assert_eq!(now.within(&none, "h", 0.5), Some(5.0));
        assert_eq!(now.within(&none, "h", 0.1), Some(0.5));
        assert_eq!(now.within(&none, "h", 0.99), None);
        assert_eq!(now.within(&now, "h", 0.5), None);
    }
}
