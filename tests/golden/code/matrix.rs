//! Dense matrices, row by row.

use std::fmt::{self, Display};
use std::ops::Index;

mod decompose;
pub mod random;

/// A matrix of `rows` by `columns`.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T> {
    rows: usize,
    columns: usize,
    cells: Vec<T>,
}

impl<T: Copy> Matrix<T> {
    /// All cells alike.
    pub fn filled(rows: usize, columns: usize, value: T) -> Self {
        Matrix { rows, columns, cells: vec![value; rows * columns] }
    }

    #[inline]
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut cells = Vec::with_capacity(self.cells.len());
        for column in 0..self.columns {
            for row in 0..self.rows {
                cells.push(self.cells[row * self.columns + column]);
            }
        }
        Matrix { rows: self.columns, columns: self.rows, cells }
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;

    fn index(&self, (row, column): (usize, usize)) -> &T {
        &self.cells[row * self.columns + column]
    }
}

impl<T: Display> fmt::Display for Matrix<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.cells.chunks(self.columns) {
            for cell in row {
                write!(out, "{cell} ")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

pub trait Norm {
    fn norm(&self) -> f64;
    fn is_small(&self) -> bool {
        self.norm() < 1e-9
    }
}

macro_rules! matrix {
    ($($cell:expr),*) => { vec![$($cell),*] };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transposed_matrix_has_as_many_rows_as_it_had_columns() {
        assert_eq!(Matrix::filled(2, 3, 0).transposed().rows, 3);
    }
}
