using System.Reflection;

namespace HybridCaching.Tests.Support;

/// <summary>What lies in a field that nobody but its type is to see.</summary>
internal static class PrivateField
{
    /// <summary>The value of a field of an object, whichever of its types declares it.</summary>
    public static T Of<T>(object owner, string name)
    {
        for (var type = owner.GetType(); ; type = type.BaseType!)
        {
            if (type.GetField(name, BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.DeclaredOnly) is { } field) return (T)field.GetValue(owner)!;
        }
    }
}
