use std::iter::Peekable;
use std::str::Chars;

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Number(f64),
    Plus,
    Minus,
    Star,
    Slash,
    Open,
    Close,
}

pub struct Tokenizer<'a> {
    chars: Peekable<Chars<'a>>,
}

impl<'a> Tokenizer<'a> {
    pub fn new(source: &'a str) -> Self {
        Self {
            chars: source.chars().peekable(),
        }
    }

    fn number(&mut self) -> Result<Token, String> {
        let mut digits = String::new();
        while let Some(&c) = self.chars.peek() {
            if !c.is_ascii_digit() && c != '.' {
                break;
            }
            digits.push(c);
            self.chars.next();
        }
        digits
            .parse()
            .map(Token::Number)
            .map_err(|_| format!("bad number {}", digits))
    }

    pub fn tokenize(mut self) -> Result<Vec<Token>, String> {
        let mut tokens = Vec::new();
        while let Some(&c) = self.chars.peek() {
            if c.is_whitespace() {
                self.chars.next();
                continue;
            }
            if c.is_ascii_digit() {
                tokens.push(self.number()?);
                continue;
            }
            let token = match c {
                '+' => Token::Plus,
                '-' => Token::Minus,
                '*' => Token::Star,
                '/' => Token::Slash,
                '(' => Token::Open,
                ')' => Token::Close,
                other => return Err(format!("unexpected {}", other)),
            };
            tokens.push(token);
            self.chars.next();
        }
        Ok(tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_and_operators() {
        let tokens = Tokenizer::new("1 + 2.5").tokenize();
        let expected = vec![Token::Number(1.0), Token::Plus, Token::Number(2.5)];
        assert_eq!(tokens, Ok(expected));
    }

    #[test]
    fn rejects_letters() {
        assert!(Tokenizer::new("1 + x").tokenize().is_err());
    }
}
