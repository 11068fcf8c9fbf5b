//! Licence expressions (SPDX): `AND` binds tighter than `OR`, `WITH` belongs to the name before it, a
//! slash is an old way to write `OR`.

/// Whether the terms can be met with licences of the list alone. What cannot be read does not fit.
pub(crate) fn fits(terms: &str, allowed: &[String]) -> bool {
    let spaced = terms.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, allowed };
    reader.either() == Some(true) && reader.words.is_empty()
}

struct Reader<'a> {
    words: &'a [&'a str],
    allowed: &'a [String],
}

impl Reader<'_> {
    fn take(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.words = &self.words[1..];
        }
        found
    }

    fn either(&mut self) -> Option<bool> {
        let mut fits = self.both()?;
        while self.take("OR") {
            fits |= self.both()?;
        }
        Some(fits)
    }

    fn both(&mut self) -> Option<bool> {
        let mut fits = self.one()?;
        while self.take("AND") {
            fits &= self.one()?;
        }
        Some(fits)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let fits = self.either()?;
            return self.take(")").then_some(fits);
        }
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        let mut name = (*first).to_owned();
        if self.take("WITH") {
            let (exception, rest) = self.words.split_first()?;
            self.words = rest;
            name = format!("{name} WITH {exception}");
        }
        Some(self.allowed.contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        for (terms, expected) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0/MIT", true),
            ("MIT AND GPL-3.0", false),
            ("MIT AND ISC", true),
            ("GPL-3.0 OR MIT AND ISC", true),
            ("(GPL-3.0 OR MIT) AND ISC", true),
            ("(GPL-3.0 OR MIT) AND BSL-1.0", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
            ("Apache-2.0 WITH", false),
            ("(MIT", false),
            ("MIT ISC", false),
            ("", false),
        ] {
            assert_eq!(fits(terms, &allowed), expected, "{terms:?}");
        }
    }
}
