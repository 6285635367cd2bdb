using HybridCaching.Benchmarks.Matrix;

namespace HybridCaching.Benchmarks;

/// <summary>What the command line asks for.</summary>
/// <param name="Work">Where files of contestants go; null for the system's temporary folder.</param>
/// <param name="IsFresh">Whether cases are run again that are finished.</param>
/// <param name="Matrix">The cells of the matrix.</param>
/// <param name="Rest">A command of this program, or what BenchmarkDotNet is told; nothing for the default subset.</param>
internal sealed record BenchmarkOptions(string? Work, bool IsFresh, MatrixChoice Matrix, string[] Rest);
