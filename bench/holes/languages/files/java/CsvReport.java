package com.example.report;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

public class CsvReport {
    private final List<Sale> sales = new ArrayList<>();

    static class Sale {
        private final String region;
        private final int quantity;
        private final double price;

        Sale(String region, int quantity, double price) {
            this.region = region;
            this.quantity = quantity;
            this.price = price;
        }

        double revenue() {
            return quantity * price;
        }

        static Sale parse(String line) {
            String[] cells = line.split(",");
            if (cells.length != 3) {
                throw new IllegalArgumentException("Expected 3 cells, got " + cells.length);
            }
            return new Sale(cells[0].trim(), Integer.parseInt(cells[1].trim()), Double.parseDouble(cells[2].trim()));
        }
    }

    public void read(Path file) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            reader.readLine(); // header
            String line;
            while ((line = reader.readLine()) != null) {
                if (line.isBlank()) {
                    continue;
                }
                sales.add(Sale.parse(line));
            }
        }
    }

    public Map<String, Double> revenueByRegion() {
        Map<String, Double> totals = new TreeMap<>();
        for (Sale sale : sales) {
            totals.merge(sale.region, sale.revenue(), Double::sum);
        }
        return totals;
    }

    public double averagePrice() {
        double total = 0;
        for (Sale sale : sales) {
            total += sale.price;
        }
        return sales.isEmpty() ? 0 : total / sales.size();
    }

    public static void main(String[] args) throws IOException {
        if (args.length == 0) {
            System.err.println("usage: CsvReport FILE...");
            System.exit(1);
        }
        CsvReport report = new CsvReport();
        for (String arg : args) {
            report.read(Path.of(arg));
        }
        report.revenueByRegion()
                .forEach((region, revenue) -> System.out.printf("%-12s %10.2f%n", region, revenue));
    }
}
