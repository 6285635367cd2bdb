using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate;

/// <summary>A trace that is yet to be read or made.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Load">Reads or makes it.</param>
internal sealed record TraceSource(string Name, Func<Trace> Load)
{
    public static TraceSource OfFile(string path) => new(TraceReader.NameOf(path), () => TraceReader.Read(path));

    public static TraceSource Of(TraceGenerator generator, GeneratorSettings settings) => new(generator.Name, () => generator.Create(settings));
}
