using System.Globalization;
using Microsoft.Extensions.Logging;

namespace Shop.Inventory;

public sealed record StockLine(string Sku, int Quantity, decimal Price);

public interface IStockRepository
{
    Task<StockLine?> FindAsync(string sku, CancellationToken cancellationToken);
    Task SaveAsync(StockLine line, CancellationToken cancellationToken);
}

public sealed class ImportJob
{
    private readonly IStockRepository _repository;
    private readonly ILogger<ImportJob> _logger;

    public ImportJob(IStockRepository repository, ILogger<ImportJob> logger)
    {
        _repository = repository;
        _logger = logger;
    }

    public async Task<int> RunAsync(string path, CancellationToken cancellationToken = default)
    {
        var imported = 0;
        await foreach (var line in ReadLinesAsync(path, cancellationToken))
        {
            var existing = await _repository.FindAsync(line.Sku, cancellationToken);
            if (existing == line)
            {
                continue;
            }

            await _repository.SaveAsync(line, cancellationToken);
            imported++;
        }

        _logger.LogInformation("Imported {Count} lines from {Path}", imported, path);
        return imported;
    }

    private async IAsyncEnumerable<StockLine> ReadLinesAsync(string path, CancellationToken cancellationToken)
    {
        using var reader = new StreamReader(path);
        var number = 0;
        while (await reader.ReadLineAsync(cancellationToken) is { } text)
        {
            number++;
            if (string.IsNullOrWhiteSpace(text))
            {
                continue;
            }

            if (TryParse(text, out var line))
            {
                yield return line;
            }
            else
            {
                _logger.LogWarning("Skipped line {Number}: {Text}", number, text);
            }
        }
    }

    private static bool TryParse(string text, out StockLine line)
    {
        line = new StockLine(string.Empty, 0, 0m);
        var parts = text.Split(';', StringSplitOptions.TrimEntries);
        if (parts.Length != 3 || !int.TryParse(parts[1], out var quantity))
        {
            return false;
        }

        if (!decimal.TryParse(parts[2], NumberStyles.Number, CultureInfo.InvariantCulture, out var price))
        {
            return false;
        }

        line = new StockLine(parts[0].ToUpperInvariant(), quantity, price);
        return true;
    }
}
