namespace HybridCaching.HitRate.Traces;

/// <summary>A file is not what its name says. The message names the file and the place in it.</summary>
internal sealed class TraceFormatException(string file, string place, string problem)
    : Exception(place.Length == 0 ? $"{file}: {problem}" : $"{file}, {place}: {problem}");
