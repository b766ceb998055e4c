use std::collections::HashMap;
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    pub sku: String,
    pub name: String,
    pub quantity: u32,
    pub price_cents: u64,
}

#[derive(Debug, PartialEq)]
pub enum InventoryError {
    NotFound(String),
    Insufficient { wanted: u32, available: u32 },
}

impl fmt::Display for InventoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InventoryError::NotFound(sku) => write!(f, "no product {}", sku),
            InventoryError::Insufficient { wanted, available } => {
                write!(f, "wanted {}, but only {} available", wanted, available)
            }
        }
    }
}

impl std::error::Error for InventoryError {}

#[derive(Default)]
pub struct Inventory {
    products: HashMap<String, Product>,
}

impl Inventory {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, product: Product) {
        self.products
            .entry(product.sku.clone())
            .and_modify(|existing| existing.quantity += product.quantity)
            .or_insert(product);
    }

    pub fn get(&self, sku: &str) -> Option<&Product> {
        self.products.get(sku)
    }

    pub fn remove(&mut self, sku: &str, wanted: u32) -> Result<(), InventoryError> {
        let product = self
            .products
            .get_mut(sku)
            .ok_or_else(|| InventoryError::NotFound(sku.to_string()))?;
        if product.quantity < wanted {
            return Err(InventoryError::Insufficient {
                wanted,
                available: product.quantity,
            });
        }
        product.quantity -= wanted;
        Ok(())
    }

    pub fn total_cents(&self) -> u64 {
        self.products
            .values()
            .map(|product| product.quantity as u64 * product.price_cents)
            .sum()
    }

    pub fn out_of_stock(&self) -> Vec<&Product> {
        self.products
            .values()
            .filter(|product| product.quantity == 0)
            .collect()
    }
}
