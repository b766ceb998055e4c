use std::env;
use std::fs;
use std::num::ParseIntError;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug)]
pub enum ConfigError {
    Io(std::io::Error),
    Number(ParseIntError),
    Syntax(usize),
}

impl From<std::io::Error> for ConfigError {
    fn from(error: std::io::Error) -> Self {
        ConfigError::Io(error)
    }
}

impl From<ParseIntError> for ConfigError {
    fn from(error: ParseIntError) -> Self {
        ConfigError::Number(error)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    pub host: String,
    pub port: u16,
    pub timeout: Duration,
    pub root: PathBuf,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            host: "127.0.0.1".to_string(),
            port: 8080,
            timeout: Duration::from_secs(30),
            root: PathBuf::from("."),
        }
    }
}

impl Config {
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let text = fs::read_to_string(path)?;
        Self::parse(&text)
    }

    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let mut config = Config::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (key, value) = line.split_once('=').ok_or(ConfigError::Syntax(index + 1))?;
            config.set(key.trim(), value.trim())?;
        }
        Ok(config)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), ConfigError> {
        match key {
            "host" => self.host = value.to_string(),
            "port" => self.port = value.parse()?,
            "timeout" => self.timeout = Duration::from_secs(value.parse()?),
            "root" => self.root = PathBuf::from(value),
            _ => {}
        }
        Ok(())
    }

    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

pub fn config_path() -> PathBuf {
    match env::var("APP_CONFIG") {
        Ok(path) => PathBuf::from(path),
        Err(_) => PathBuf::from("app.conf"),
    }
}
