using System;
using System.Collections.Generic;
using Money = System.Decimal;

namespace Shop.Stock
{
    /// <summary>What is on the shelves.</summary>
    [Serializable]
    public sealed class Inventory<T> : IInventory where T : IProduct
    {
        private readonly Dictionary<string, int> counts = new();

        public int Count => counts.Count;

        public event EventHandler? Changed;

        public Inventory(IEnumerable<T> products)
        {
            foreach (var product in products) Add(product, 1);
        }

        /// <summary>Adds so many of a product.</summary>
        public void Add(T product, int count)
        {
            if (count <= 0) throw new ArgumentOutOfRangeException(nameof(count));
            counts.TryGetValue(product.Sku, out var before);
            counts[product.Sku] = before + count;
            Changed?.Invoke(this, EventArgs.Empty);
        }
    }

    public interface IInventory
    {
        int Count { get; }
    }

    public record Shelf(int Number, string Aisle);

    public enum Season { Spring, Summer }
}
