//! Parquet that other programs have written: which columns are usable, and their conversion to our types.
//!
//! `fen` and `best_move` are text. Evaluations and ratings may be integers of any width, or floats with
//! integer values (pandas turns integers with missing values into floats); NaN is null. Columns that happen to
//! have another of our names are used if they have our type, and ignored otherwise.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, Int16Array, Int32Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use crate::Column;

/// Whether a column of this type can be converted.
pub(super) fn is_usable(column: Column, r#type: &DataType) -> bool {
    match column {
        Column::Eval | Column::WhiteElo | Column::BlackElo => r#type.is_numeric(),
        _ => *r#type == column.data_type(),
    }
}

/// Whether a column must not be ignored.
pub(super) fn is_needed(column: Column) -> bool {
    matches!(column, Column::Fen | Column::BestMove | Column::Eval)
}

/// Converts columns to our types; an error has the row and the reason.
pub(super) fn convert(
    batch: &RecordBatch,
    columns: &[Column],
) -> Result<RecordBatch, (usize, String)> {
    let mut converted = Vec::new();
    for &column in columns {
        let Some(array) = batch.column_by_name(column.name()) else { continue };
        let array = match column.data_type() {
            own if own == *array.data_type() => array.clone(),
            DataType::Int32 => Arc::new(Int32Array::from(numbers(column, array)?)) as ArrayRef,
            DataType::Int16 => Arc::new(Int16Array::from(numbers(column, array)?)),
            _ => continue,
        };
        let field = Field::new(column.name(), array.data_type().clone(), true);
        converted.push((field, array));
    }
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = converted.into_iter().unzip();
    let schema = Arc::new(Schema::new(fields));
    RecordBatch::try_new(schema, arrays).map_err(|error| (0, error.to_string()))
}

/// The numbers of a column of any numeric type.
fn numbers<T: TryFrom<i64>>(
    column: Column,
    array: &ArrayRef,
) -> Result<Vec<Option<T>>, (usize, String)> {
    macro_rules! whole {
        ($($type:ty),*) => { [$(integers::<$type>(array)),*] };
    }
    let values = whole!(
        Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type
    );
    let floats = [floats::<Float32Type>(array), floats::<Float64Type>(array)];
    let values = values.into_iter().chain(floats).flatten().next();
    let values = values.ok_or_else(|| (0, format!("{column} is {}", array.data_type())))?;
    let convert = |(row, value): (usize, Option<Number>)| match value {
        None => Ok(None),
        Some(Number::Whole(value)) => match T::try_from(value) {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err((row, format!("{column}: {value} is out of range"))),
        },
        Some(Number::Other(value)) => Err((row, format!("{column}: {value} is not an integer"))),
    };
    values.into_iter().enumerate().map(convert).collect()
}

/// A number of any type.
enum Number {
    Whole(i64),
    Other(f64),
}

fn integers<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<Vec<Option<Number>>>
where
    T::Native: TryInto<i64> + Copy,
{
    let array = array.as_primitive_opt::<T>()?;
    let number = |value: T::Native| Number::Whole(value.try_into().unwrap_or(i64::MAX));
    Some(array.iter().map(|value| value.map(number)).collect())
}

fn floats<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<Vec<Option<Number>>>
where
    T::Native: Into<f64> + Copy,
{
    let array = array.as_primitive_opt::<T>()?;
    let number = |value: T::Native| {
        let value: f64 = value.into();
        match value {
            _ if value.is_nan() => None,
            _ if value.fract() == 0.0 => Some(Number::Whole(value as i64)),
            _ => Some(Number::Other(value)),
        }
    };
    Some(array.iter().map(|value| value.and_then(number)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Float64Array, Int64Array, StringArray};

    fn eval(array: ArrayRef) -> Result<Vec<Option<i32>>, (usize, String)> {
        let batch = RecordBatch::try_from_iter_with_nullable([("eval", array, true)]).unwrap();
        let found = convert(&batch, &[Column::Eval])?;
        Ok(found.column(0).as_primitive::<Int32Type>().iter().collect())
    }

    #[test]
    fn numbers_of_any_type_become_ours_and_others_are_errors_with_their_row() {
        let wide = Int64Array::from(vec![Some(35), None, Some(-10_000)]);
        assert_eq!(eval(Arc::new(wide)), Ok(vec![Some(35), None, Some(-10_000)]));
        let floats = Float64Array::from(vec![35.0, f64::NAN, -2.0]);
        assert_eq!(eval(Arc::new(floats)), Ok(vec![Some(35), None, Some(-2)]));
        let pawns = Float64Array::from(vec![1.0, 0.35]);
        let reason = "eval: 0.35 is not an integer".to_owned();
        assert_eq!(eval(Arc::new(pawns)), Err((1, reason)));
        let large = Int64Array::from(vec![0, 0, i64::MAX]);
        assert_eq!(eval(Arc::new(large)).unwrap_err().0, 2);
        assert!(eval(Arc::new(Float64Array::from(vec![f64::INFINITY]))).is_err());
        assert!(eval(Arc::new(StringArray::from(vec!["+0.35"]))).is_err());
    }
}
