# What is in stock, kept by a process.
defmodule Shop.Inventory do
  use GenServer
  alias Shop.Product

  def start_link(options) do
    GenServer.start_link(__MODULE__, options, name: __MODULE__)
  end

  def count(%Product{sku: sku}) do
    GenServer.call(__MODULE__, {:count, sku})
  end

  defp empty?(state) do
    map_size(state) == 0
  end
end
