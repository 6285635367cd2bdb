using System.Globalization;

namespace HybridCaching.Benchmarks.Shared;

/// <summary>The median of some figures, the smallest and the largest.</summary>
internal readonly record struct Spread(double Median, double Least, double Most)
{
    public static Spread Of(IEnumerable<double> figures)
    {
        double[] sorted = [.. figures.Order()];
        int middle = sorted.Length / 2;
        return new Spread(sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2, sorted[0], sorted[^1]);
    }

    /// <summary>Of what was measured in turns, the ratios within each turn.</summary>
    public static Spread OfRatios(IEnumerable<double> ours, IEnumerable<double> theirs) => Of(ours.Zip(theirs, static (our, their) => our / their));

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Short(Median)} [{Short(Least)}-{Short(Most)}]");

    /// <param name="format">Of each of the three numbers.</param>
    public string ToString(string format) => string.Join("", Median.ToString(format, CultureInfo.InvariantCulture), " [", Least.ToString(format, CultureInfo.InvariantCulture), "-", Most.ToString(format, CultureInfo.InvariantCulture), "]");

    private static string Short(double figure) => figure.ToString(figure < 10 ? "N2" : figure < 100 ? "N1" : "N0", CultureInfo.InvariantCulture);
}
